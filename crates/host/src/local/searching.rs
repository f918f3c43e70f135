//! Searching files of a local host for somebody who waits for the first results.

use std::sync::Arc;

use openspace_files::{
    grep::{self, Grepped},
    search::{self, NamesFound},
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{LocalHost, lock};
use crate::{
    conversation::HostConversation,
    host::HostError,
    operation::{FindNames, Grep},
};

/// Matches that may wait to be told, by file.
const CHANNEL: usize = 16;

impl LocalHost {
    /// Search contents; to a listener the matches are told as they are found.
    pub(super) async fn grep(
        &self,
        Grep { query }: Grep,
        conversation: &HostConversation<Grep>,
    ) -> Result<Grepped, HostError> {
        if !conversation.is_listened_to() {
            return self
                .blocking(conversation.cancel(), move |files, stop| grep::grep(files, &query, stop))
                .await;
        }
        let (sender, mut found) = mpsc::channel(CHANNEL);
        let search = self.blocking(conversation.cancel(), move |files, stop| {
            grep::tell(files, &query, &|matches| sender.blocking_send(matches).is_ok(), stop)
        });
        let pass_on = async {
            while let Some(matches) = found.recv().await {
                if !conversation.tell(matches).await {
                    // The search sees that nobody takes them.
                    found.close();
                    break;
                }
            }
        };
        let (searched, ()) = tokio::join!(search, pass_on);
        searched
    }

    /// Find files by name, from memory where that is sure to be right.
    pub(super) async fn find_names(
        &self,
        FindNames { query, limit }: FindNames,
        cancel: &CancellationToken,
    ) -> Result<NamesFound, HostError> {
        let tree = lock(&self.tree).clone();
        self.blocking(cancel, move |files, stop| {
            let list = || search::list(files, stop);
            let list = match tree {
                Some(tree) => tree.list(list)?,
                None => Arc::new(list()?),
            };
            search::find_names(&list, &query, limit, stop)
        })
        .await
    }
}
