//! Servers that nobody uses, or that use too much memory, are ended, and say so to those who ask.

use std::{collections::BTreeSet, sync::Arc};

use openspace_languages::{Limits, MIB, TooMuch, Usage, over_limits};
use openspace_protocol::RelPath;

use super::servers::{CodeServers, LanguageOptions};

impl CodeServers {
    /// End what nobody uses any more; what a page shows is used.
    pub(super) async fn tidy(&self, options: &LanguageOptions, shown: &BTreeSet<RelPath>) {
        for running in self.alive() {
            running.close_unused(options.document_idle, shown).await;
            if running.server.is_idle(&options.limits) {
                tracing::debug!(server = running.id, "a language server that nobody uses is ended");
                running.stop().await;
            }
        }
        self.hold_limits(&options.limits).await;
    }

    /// End those that use more memory than they may.
    async fn hold_limits(&self, limits: &Limits) {
        let mut usages = Vec::new();
        for running in self.alive() {
            if let Some(memory) = running.memory().await {
                let unused = running.server.unused_for();
                usages.push(Usage { server: running, memory, unused });
            }
        }
        for (running, too_much) in over_limits(limits, &usages) {
            let used = usages.iter().find(|usage| Arc::ptr_eq(&usage.server, &running));
            let used = used.map_or(0, |usage| usage.memory / MIB);
            let Limits { memory_mib, memory_of_all_mib, .. } = limits;
            match too_much {
                // Started again by itself, it would only do the same again.
                TooMuch::ByItself => running.server.give_up(&format!(
                    "it used {used} MiB of memory, and one server may use {memory_mib}"
                )),
                TooMuch::Together => {
                    let why = format!(
                        "all servers used more than {memory_of_all_mib} MiB of memory, and this one, with {used} MiB, was \
                         not used for longest"
                    );
                    running.stop_because(why).await;
                }
            }
        }
    }
}
