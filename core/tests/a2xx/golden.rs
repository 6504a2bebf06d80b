//! Listings of other tools.
