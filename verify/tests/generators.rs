//! The health of the generators.
use lockstep::case::Case;
use lockstep::generate::{Entropy, Wish, case};
use lockstep::oracle::{Engines, Verdict, execution_with};
use lockstep_core::isa::agal::Agal;
use lockstep_core::isa::{Isa, Level};

#[test]
fn probe() {
    let mut warned = std::collections::BTreeMap::<String, u32>::new();
    let (mut n_warn, mut holds, mut comps, mut nan, mut uni, mut words) = (0, 0, 0, 0, 0, 0);
    let n = 3000u32;
    let t = std::time::Instant::now();
    let mut tg = std::time::Duration::default();
    for seed in 0..n {
        let t0 = std::time::Instant::now();
        let c: Case = case::<Agal>(&mut Entropy::seeded(seed.into()), &Wish::default());
        tg += t0.elapsed();
        let r = c.resolve::<Agal>().unwrap();
        let v = Agal::validate(&r.context());
        words += r.program.tokens.len();
        if !v.is_empty() { n_warn += 1; }
        for v in &v {
            let key = format!("{:?} {} {}", v.level, v.code, v.message);
            let count = warned.entry(key).or_default(); *count += 1;
            if v.level == Level::Error { println!("{}", Agal::disassemble(&r.program)); panic!("{v}") }
        }
        match execution_with::<Agal>(&c, &Engines::fast()) {
            Verdict::Holds(s) => { holds += 1; comps += s.components; nan += s.nan; uni += s.uniform; }
            Verdict::Skipped(s) => println!("skip {s}"),
            Verdict::Fails(f) => { println!("{}", Agal::disassemble(&r.program)); panic!("seed {seed} {f:?}") }
        }
    }
    println!("{warned:#?}");
    println!("warned {n_warn} holds {holds} of {n}; nan {:.3} uniform {:.3} words {} gen {tg:?} all {:?}", nan as f64 / comps as f64, uni as f64 / comps as f64, words as f64 / n as f64, t.elapsed());
    for seed in 0..4 {
        let c: Case = case::<Agal>(&mut Entropy::seeded(seed), &Wish::default());
        println!("{}", Agal::disassemble(&c.resolve::<Agal>().unwrap().program));
    }
}
#[test]
fn uniform_by_output() {
    use lockstep::engine::reference;
    let (mut a, mut b) = (std::collections::BTreeMap::<String, [u32;3]>::new(), 0);
    for seed in 0..2000u64 {
        let c: Case = case::<Agal>(&mut Entropy::seeded(seed), &Wish::default());
        let r = c.resolve::<Agal>().unwrap();
        let o = reference::<Agal>(&r.context(), &r.env);
        let mut u = 0;
        let n = o.lanes[0].outputs.len();
        for k in 0..n {
            let v: Vec<u32> = o.lanes.iter().map(|l| l.outputs[k].to_bits()).collect();
            let x = f32::from_bits(v[0]);
            if v.iter().all(|x| *x == v[0]) { u += 1;
                let last = r.program.tokens.last().unwrap().op().unwrap().row().mnemonic;
                let e = a.entry(last.to_string()).or_default();
                e[0] += 1; e[1] += u32::from(x.is_nan()); e[2] += u32::from(x.is_infinite() || x.abs()>1e7);
            }
        }
        if u > 0 && b < 12 { b += 1; println!("seed {seed} {u} of {n}: {:?}\n{}", o.lanes.iter().map(|l| l.outputs.clone()).take(2).collect::<Vec<_>>(), Agal::disassemble(&r.program)); }
    }
    println!("{a:?}");
}
#[test]
fn live() {
    use lockstep::coverage::Coverage;
    let t = std::time::Instant::now();
    let mut cov = Coverage::<Agal>::new();
    for seed in 0..1500 { cov.add(&case::<Agal>(&mut Entropy::seeded(seed), &Wish::default())); }
    let r = cov.report();
    println!("{} {} {} {:?}", r.points, r.seen, r.live, t.elapsed());
    println!("missing {:?}", r.missing);
    let mut tries = 0;
    for class in cov.missing() {
        for k in 0..60 {
            if cov.is_live(&class) { break }
            tries += 1;
            cov.add(&case::<Agal>(&mut Entropy::seeded(k), &Wish { class: Some(class.clone()), size: Some(8), ..Wish::default() }));
        }
    }
    let r = cov.report();
    println!("{} {} {} {:?} tries {tries}", r.points, r.seen, r.live, t.elapsed());
    println!("missing {:?}", r.missing);
}
