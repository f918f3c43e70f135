//! What pages may ask of a language server, and how it is asked.
//!
//! A fixed list: nothing that changes what a server knows of texts, folders or settings, and nothing about its life.

use std::time::Duration;

use openspace_languages::WhileLoading;

/// How long a page waits for an answer at most.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long for a server to have read everything, where there is time for it.
const READY_WITHIN: Duration = Duration::from_secs(10);

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whom {
    /// The first server of the file that can.
    First,
    /// All servers of the file that can.
    All,
    /// All servers that run.
    Everybody,
    /// The one that said what is asked about.
    Origin,
}

/// When it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// At once: somebody types.
    Now,
    /// When the server has read everything, or after a while.
    Ready,
    /// When it has, or not at all: half an answer would do harm.
    WholeOnly,
}

/// How a method is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Method {
    pub(super) name: &'static str,
    pub(super) whom: Whom,
    when: When,
}

impl Method {
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        METHODS.iter().find(|method| method.name == name)
    }

    pub(super) fn while_loading(&self) -> WhileLoading {
        match self.when {
            When::Now => WhileLoading::Ask,
            When::Ready => WhileLoading::Wait(READY_WITHIN),
            When::WholeOnly => WhileLoading::Require(READY_WITHIN),
        }
    }

    pub(super) fn patience(&self) -> Duration {
        match self.when {
            When::Now => PATIENCE,
            When::Ready | When::WholeOnly => READY_WITHIN + PATIENCE,
        }
    }

    /// A command of a server's own, in whose course it may ask for edits.
    pub(super) fn is_command(&self) -> bool {
        self.name == "workspace/executeCommand"
    }

    /// Whether its answer may be edits of files.
    pub(super) fn gives_edits(&self) -> bool {
        ["textDocument/rename", "textDocument/codeAction", "codeAction/resolve"]
            .contains(&self.name)
    }
}

const fn method(name: &'static str, whom: Whom, when: When) -> Method {
    Method { name, whom, when }
}

const METHODS: &[Method] = &[
    method("callHierarchy/incomingCalls", Whom::Origin, When::Ready),
    method("callHierarchy/outgoingCalls", Whom::Origin, When::Ready),
    method("codeAction/resolve", Whom::Origin, When::Ready),
    method("codeLens/resolve", Whom::Origin, When::Ready),
    method("completionItem/resolve", Whom::Origin, When::Now),
    method("documentLink/resolve", Whom::Origin, When::Now),
    method("inlayHint/resolve", Whom::Origin, When::Now),
    method("textDocument/codeAction", Whom::All, When::Ready),
    method("textDocument/codeLens", Whom::First, When::Ready),
    method("textDocument/colorPresentation", Whom::First, When::Now),
    method("textDocument/completion", Whom::All, When::Now),
    method("textDocument/declaration", Whom::First, When::Ready),
    method("textDocument/definition", Whom::First, When::Ready),
    method("textDocument/documentColor", Whom::First, When::Ready),
    method("textDocument/documentHighlight", Whom::First, When::Now),
    method("textDocument/documentLink", Whom::All, When::Ready),
    method("textDocument/documentSymbol", Whom::First, When::Ready),
    method("textDocument/foldingRange", Whom::First, When::Ready),
    method("textDocument/formatting", Whom::First, When::Ready),
    method("textDocument/hover", Whom::First, When::Now),
    method("textDocument/implementation", Whom::First, When::Ready),
    method("textDocument/inlayHint", Whom::First, When::Ready),
    method("textDocument/linkedEditingRange", Whom::First, When::Now),
    method("textDocument/onTypeFormatting", Whom::First, When::Now),
    method("textDocument/prepareCallHierarchy", Whom::First, When::Ready),
    method("textDocument/prepareRename", Whom::First, When::Ready),
    method("textDocument/prepareTypeHierarchy", Whom::First, When::Ready),
    method("textDocument/rangeFormatting", Whom::First, When::Ready),
    method("textDocument/references", Whom::First, When::Ready),
    method("textDocument/rename", Whom::First, When::WholeOnly),
    method("textDocument/selectionRange", Whom::First, When::Now),
    method("textDocument/semanticTokens/full", Whom::First, When::Ready),
    method("textDocument/semanticTokens/range", Whom::First, When::Ready),
    method("textDocument/signatureHelp", Whom::First, When::Now),
    method("textDocument/typeDefinition", Whom::First, When::Ready),
    method("typeHierarchy/subtypes", Whom::Origin, When::Ready),
    method("typeHierarchy/supertypes", Whom::Origin, When::Ready),
    method("workspace/executeCommand", Whom::Origin, When::Ready),
    method("workspace/symbol", Whom::Everybody, When::Ready),
    method("workspaceSymbol/resolve", Whom::Origin, When::Ready),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_asked_that_changes_what_a_server_knows() {
        for name in [
            "initialize",
            "shutdown",
            "textDocument/didChange",
            "textDocument/diagnostic",
            "workspace/didChangeConfiguration",
            "$/cancelRequest",
            "rust-analyzer/runnables",
            "",
        ] {
            assert_eq!(Method::named(name), None, "{name}");
        }
        let hover = Method::named("textDocument/hover").copied();
        assert_eq!(hover, Some(method("textDocument/hover", Whom::First, When::Now)));
    }
}
