//! Not committed.
use crate::stage::Stage;
use std::time::Instant;

#[tokio::test]
#[ignore]
async fn measure() {
    for masks in [0, 1, 1000] {
        let mut stage = Stage::furnished();
        let real = std::env::var_os("REAL_HOME");
        if let Some(real) = &real {
            stage.spec.home = Some(real.into());
        }
        for n in 0..masks {
            stage.with(&format!("d{}/s{n}.pem", n % 40), "x");
        }
        for n in 0..1100 {
            stage.with(&format!("src{}/f{n}.rs", n % 50), "x");
        }
        stage.committed_small();
        let mut times = Vec::new();
        let mut ends = Vec::new();
        for _ in 0..15 {
            let begin = Instant::now();
            let place = stage.open().await;
            times.push(begin.elapsed().as_secs_f64() * 1e3);
            assert_eq!(place.keeper.kept().secrets.len(), masks);
            let begin = Instant::now();
            drop(place.keeper);
            place.process.end().await;
            ends.push(begin.elapsed().as_secs_f64() * 1e3);
            stage.gone(".openspace").await;
        }
        times.sort_by(f64::total_cmp);
        ends.sort_by(f64::total_cmp);
        println!(
            "masks {masks}: open median {:.1} ms, min {:.1}, max {:.1}; end {:.1}",
            times[7], times[0], times[14], ends[7]
        );
        let mut place = stage.open().await;
        let begin = Instant::now();
        for _ in 0..1000 {
            place.keeper.drain().await.unwrap();
        }
        println!("  drain {:.1} us", begin.elapsed().as_secs_f64() * 1e6 / 1000.0);
        let inside = place.run("time (for i in $(seq 1000); do /bin/true; done)").await;
        let outside = stage.outside("( time (for i in $(seq 1000); do /bin/true; done) ) 2>&1");
        println!(
            "  inside {} outside {}",
            inside.lines().nth(0).unwrap_or_default(),
            outside.lines().nth(1).unwrap_or_default()
        );
        let inside = place.run("time (for i in $(seq 1000); do /bin/true; done)").await;
        let outside = stage.outside("( time (for i in $(seq 1000); do /bin/true; done) ) 2>&1");
        println!("  inside {} outside {}", inside.replace('\n', " "), outside.replace('\n', " "));
        let begin = Instant::now();
        stage.outside("for n in $(seq 300); do echo s > new; mv new .env; done");
        place.keeper.drain().await.unwrap();
        println!("  300 replacements {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
    }
}
