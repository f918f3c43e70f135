//! Hostile lines: reading them never fails, and what is added to one is always found.

use crate::{Finding, Judged, Pattern, Shell, read, suggest};

const SEEDS: &[&[u8]] = &[
    b"ls -la | grep 'a b' > out.txt 2>&1 && echo \"$(date)\" # done",
    b"cat <<'EOF' > x\nit's $(not) run\nEOF\nls",
    b"cat <<-E | sh\n\t`a \\`b\\``\n\tE\n",
    b"for f in *.rs; do wc -l \"$f\"; done; while read x; do echo ${x:-\"$(a)\"}; done < f",
    b"if [ -f a ]; then b; elif [[ $x =~ ^a.b$ ]]; then c; else d; fi",
    b"case \"$x\" in a|b) c;; *) d;; esac",
    b"f() { g \"$@\" | h & }; f <(a) >(b)",
    b"env A=b timeout 5 bash -c 'eval \"x $y\"' _ {}",
    b"find . -name '*.o' -exec rm {} + | xargs -0 -I{} mv {} $'\\x41\\n'",
    b"git -c alias.x='!ls' push origin +main; git commit -m \"$(cat <<E\nx\nE\n)\"",
    b"a=(1 2 $(b)) c[1]=$((2 + (3 << 1))) d+=e export F=\"g\"",
    b"sudo -u me -- sh -c \"a && b\" <<< 'text' ; ! x || { y; }",
    b"echo a\\ b\\\nc \"d\\\"e\" 'f'\\''g' {h,i} ~/j $k ${l[@]} \\",
    b"coproc x; time -p y; trap 'z' EXIT; alias a='b c'; . ./d",
    b"\xe2\x80\xaea\xc2\xa0b\xf0\x9f\x98\x80\r\x0b\x00",
];

#[test]
fn reading_never_fails_and_stays_bounded() {
    openspace_fuzz::hold(SEEDS, |input| {
        let line = String::from_utf8_lossy(input);
        for shell in [Shell::Bash, Shell::Prompt, Shell::Other] {
            let Judged { parts, doubts, .. } = read(&line, shell);
            assert!(parts.len() <= 500 && doubts.len() <= 20);
            for part in &parts {
                assert!(part.text.chars().count() <= 401);
                assert!(!part.is_harmless || part.findings.is_empty());
                if let Some(pattern) = suggest(part) {
                    assert!(pattern.covers(part), "{pattern} for {}", part.text);
                }
            }
            for doubt in doubts {
                assert!(doubt.sentence().chars().count() < 300);
            }
        }
    });
}

/// A line that can be read with certainty stays so when something is added, or there is a doubt.
#[test]
fn what_is_added_to_a_line_is_found() {
    openspace_fuzz::hold(SEEDS, |input| {
        let line = String::from_utf8_lossy(input);
        if !read(&line, Shell::Bash).doubts.is_empty() {
            return;
        }
        let quoted = line.replace('\'', r"'\''");
        let mut more = vec![
            format!("{line}\nrm -rf x"),
            format!("rm -rf x; {line}"),
            format!("rm -rf x\n{line}"),
            format!("({line}\n)\nrm -rf x"),
            format!("{{ {line}\n}}; rm -rf x"),
            format!("if rm -rf x; then\n{line}\nfi"),
            format!("echo \"$({line}\n)\"; rm -rf x"),
            format!("echo \"$({line}\nrm -rf x\n)\""),
            format!("echo $({line}\n)#; rm -rf x"),
            format!("bash -c '{quoted}\nrm -rf x'"),
            format!("eval '{quoted}' ; rm -rf x"),
            format!("cat <<'no such line'\n{line}\nno such line\nrm -rf x"),
            format!("f() {{ {line}\n}}\nrm -rf x"),
        ];
        if !line.contains('#') {
            more.push(format!("{line}; rm -rf x"));
            more.push(format!("{line} && rm -rf x"));
            more.push(format!("{line} | rm -rf x"));
            more.push(format!("({line}); rm -rf x"));
        }
        for line in more {
            let judged = read(&line, Shell::Bash);
            let found = judged.findings().any(|finding| finding == Finding::DeletesFolders);
            assert!(found || !judged.doubts.is_empty(), "{line:?} gives {judged:?}");
        }
    });
}

#[test]
fn a_pattern_reads_what_it_writes() {
    let seeds: &[&[u8]] = &[
        b"git push origin *",
        b"a 'b c' d* \"e\" \\* *f*g*",
        b"x ''",
        b"npm run build:* -- --x=y",
    ];
    openspace_fuzz::hold(seeds, |input| {
        let text = String::from_utf8_lossy(input);
        if let Ok(pattern) = Pattern::parse(&text) {
            let written = pattern.to_string();
            if written.len() <= 1_024 {
                assert_eq!(Pattern::parse(&written), Ok(pattern), "{written}");
            }
        }
    });
}
