//! The scenarios of AGAL: registers that an instruction names twice, masks and destinations that facets do not cover, and nested blocks.

use crate::isa::facet::Scenario;

const fn scenario(name: &'static str, mutate: bool, text: &'static str) -> Scenario {
    Scenario { name, mutate, under: None, text }
}

/// The scenarios of AGAL.
pub(super) const SCENARIOS: &[Scenario] = &[
    scenario(
        "masks of several components",
        true,
        "version 1 vertex
         mov vt0.xy, va0.wzyx
         mov vt1.xz, va0.wzyx
         mov vt2.yz, va0.wzyx
         mov vt3.xw, va0.wzyx
         mov vt4.yw, va0.wzyx
         mov vt5.zw, va0.wzyx
         mov vt0.xyz, va1.yzwx
         mov vt1.xyw, va1.yzwx
         mov vt2.xzw, va1.yzwx
         mov vt3.yzw, va1.yzwx
         mov op, vt0",
    ),
    Scenario {
        name: "w of results that have three components",
        mutate: true,
        under: Some(("mask_w", "accept")),
        text: "version 1 vertex
         nrm vt0, va0
         crs vt1, va0, va1
         m33 vt2, va0, vc12
         m34 vt3, va0, vc12
         nrm vt4.w, va0
         crs vt5.xw, va0, va1
         m33 vt6.w, va0, vc12
         m34 vt7.yw, va0, vc12
         mov op, vt0",
    },
    scenario(
        "masks of results that mix components",
        true,
        "version 1 vertex
         crs vt0.xy, va0, va1
         crs vt1.xz, va0, va1
         crs vt2.yz, va0, va1
         nrm vt3.xz, va0
         nrm vt4.yz, va0
         dp3 vt5.yw, va0, va1
         dp4 vt6.xzw, va0, va1
         m33 vt0.yz, va0, vc12
         m34 vt1.xz, va0, vc12
         m44 vt2.yw, va0, vc12
         m44 vt3.xyz, va0, vc12
         mov op, vt0",
    ),
    scenario(
        "destinations of a vertex program",
        true,
        "version 1 vertex
         mov vt2, va0
         mov v7, va1
         mov op, va2",
    ),
    scenario(
        "destinations of a fragment program",
        true,
        "version 2 fragment
         mov ft2, v0
         mov oc, v1
         mov fo3, v2
         mov fd.x, v3",
    ),
    scenario(
        "components read twice",
        true,
        "version 1 vertex
         mov vt0, va0.zzxy
         add vt1, va0.zzxy, va1.xxyz
         mov op, vt0",
    ),
    scenario(
        "one register twice",
        true,
        "version 1 vertex
         add vt0, vt5, vt5.yzwx
         sub vt1, vt5, vt5.yzwx
         seq vt2, vt5, vt5.yzwx
         crs vt3.xyz, vt5, vt5.yzwx
         mov op, vt0",
    ),
    scenario(
        "one register twice in every operation",
        false,
        "version 1 vertex
         mul vt0, vt5, vt5.yzwx
         div vt1, vt5, vt5.yzwx
         min vt2, vt5, vt5.yzwx
         max vt3, vt5, vt5.yzwx
         pow vt4, vt5, vt5.yzwx
         dp3 vt6, vt5, vt5.yzwx
         dp4 vt7, vt5, vt5.yzwx
         sge vt0, vt5, vt5.yzwx
         slt vt1, vt5, vt5.yzwx
         sne vt2, vt5, vt5.yzwx
         mov op, vt0",
    ),
    scenario(
        "a matrix that holds its vector",
        true,
        "version 1 vertex
         m44 vt4, vt5, vt4
         mov op, vt4",
    ),
    // Offsets that would be negative if offsets were signed, and an indexed second source.
    scenario(
        "offsets above 127",
        true,
        "version 1 vertex
         mov vt0, vc[vt5.x+200]
         add vt1, va0, vc[vt6.w+200].yzwx
         mov op, vt0",
    ),
    scenario(
        "offsets above 127 of rows",
        true,
        "version 1 vertex
         m44 vt0, va0, vc[vt6.w+200]
         mov op, vt0",
    ),
    scenario(
        "offsets above 127 of conditions",
        true,
        "version 2 vertex
         ifg vt5.x, vc[vt6.w+200].y
         mov vt0.x, va0.x
         eif
         mov op, vt0",
    ),
    scenario(
        "offsets above 127 of coordinates",
        true,
        "version 4 vertex
         tld vt0, vc[vt5.x+200], vs0 <2d,linear>
         mov op, vt0",
    ),
    scenario(
        "the instance number",
        true,
        "version 3 vertex
         mov vt0, iid
         add vt1, va0, iid.x
         ifl iid.x, va0.x
         mov vt1, va1
         eif
         mov op, vt1",
    ),
    scenario(
        "a condition that names several components",
        true,
        "version 2 vertex
         ifg vt5.wzyx, vt6.yzwx
         mov vt0.x, va0.x
         eif
         mov op, vt0",
    ),
    scenario(
        "equality that names several components",
        false,
        "version 2 vertex
         ife vt5.wzyx, vt6.yzwx
         mov vt0.x, va0.x
         eif
         ine vt5.x, vt6.yzwx
         mov vt0.y, va0.x
         eif
         ifl vt5.wzyx, vt6.x
         mov vt0.z, va0.x
         eif
         mov op, vt0",
    ),
    scenario(
        "a kil that names several components",
        true,
        "version 1 fragment
         kil ft5.wzyx
         mov oc, v0",
    ),
    scenario(
        "biases",
        true,
        "version 1 fragment
         tex ft0, v0, fs3 <2d,mipnearest,0.125>
         tex ft1, v0, fs4 <2d,mipnearest,1>
         tex ft2, v0, fs5 <2d,miplinear,15.875>
         tex ft3, v0, fs6 <2d,miplinear,-16>
         tex ft4, v0, fs7 <2d,nomip,-0.125>
         mov oc, ft0",
    ),
    scenario(
        "blocks in blocks",
        true,
        "version 2 fragment
         ifl v0.x, v1.x
         mov ft0, v2
         ifg v0.y, v1.y
         mov ft0, v3
         kil v0.z
         els
         mov ft1, v3
         eif
         els
         mov ft1, v2
         eif
         add oc, ft0, ft1",
    ),
    scenario(
        "outputs in a block",
        false,
        "version 2 fragment
         ifl v0.x, v1.x
         mov oc, v2
         els
         mov oc, v3
         eif",
    ),
];
