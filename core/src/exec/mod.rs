//! The optimized executor.
