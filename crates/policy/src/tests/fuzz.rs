//! Hostile policy files: they are read or refused, and what is saved is read again.

use openspace_judge::suggest;

use super::judged;
use crate::{Decision, Rule, Rules, save};

const SEEDS: &[&[u8]] = &[
    b"# x\n[[rule]]\nid = 'a'\ndecision = 'allow'\nline = \"git push *\" # y\n\n[[rule]]\ndecision='deny'\n",
    b"rule = [{ decision = 'ask', command = 'openspace.x.*' }, { decision = 'deny', caller = 'agent' }]\n",
    b"[[rule]]\ndecision = \"ask\"\naccess = \"destroy\"\nplace = 'outside'\nclient = \"\"\"x\ny\"\"\"\n",
];

#[test]
fn a_file_is_read_or_refused_and_what_is_saved_is_read_again() {
    let mut rule = Rule::new("always", Decision::Allow);
    rule.line = suggest(&judged("git push origin main").parts[0]);
    openspace_fuzz::hold(SEEDS, |input| {
        let text = String::from_utf8_lossy(input);
        let user = Rules::of_user(&text);
        if let Ok(project) = Rules::of_project(&text) {
            assert!(project.iter().all(|rule| rule.decision != Decision::Allow));
            assert_eq!(user.as_ref(), Ok(&project));
        }
        let saved = save(&text, &rule);
        assert_eq!(saved.is_ok(), user.is_ok(), "{saved:?}");
        if let (Ok(user), Ok((saved, id))) = (user, saved) {
            let again = Rules::of_user(&saved).unwrap();
            assert_eq!(again.iter().count(), user.iter().count() + 1);
            assert_eq!(again.iter().last(), Some(&Rule { id, ..rule.clone() }));
        }
    });
}
