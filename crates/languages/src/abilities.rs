//! What a server can: what it said in its greeting, and what it registered since. And what we say that we can.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{glob::Pattern, message::taken, uri::Uri};

/// Registrations that are kept of one server.
pub(crate) const MOST_REGISTRATIONS: usize = 1000;

/// Methods, and where a greeting says that the server has them.
const PROVIDERS: &[(&str, &str)] = &[
    ("textDocument/codeAction", "codeActionProvider"),
    ("textDocument/codeLens", "codeLensProvider"),
    ("textDocument/completion", "completionProvider"),
    ("textDocument/declaration", "declarationProvider"),
    ("textDocument/definition", "definitionProvider"),
    ("textDocument/diagnostic", "diagnosticProvider"),
    ("textDocument/documentColor", "colorProvider"),
    ("textDocument/documentHighlight", "documentHighlightProvider"),
    ("textDocument/documentLink", "documentLinkProvider"),
    ("textDocument/documentSymbol", "documentSymbolProvider"),
    ("textDocument/foldingRange", "foldingRangeProvider"),
    ("textDocument/formatting", "documentFormattingProvider"),
    ("textDocument/hover", "hoverProvider"),
    ("textDocument/implementation", "implementationProvider"),
    ("textDocument/inlayHint", "inlayHintProvider"),
    ("textDocument/linkedEditingRange", "linkedEditingRangeProvider"),
    ("textDocument/onTypeFormatting", "documentOnTypeFormattingProvider"),
    ("textDocument/prepareCallHierarchy", "callHierarchyProvider"),
    ("textDocument/prepareTypeHierarchy", "typeHierarchyProvider"),
    ("textDocument/rangeFormatting", "documentRangeFormattingProvider"),
    ("textDocument/references", "referencesProvider"),
    ("textDocument/rename", "renameProvider"),
    ("textDocument/selectionRange", "selectionRangeProvider"),
    ("textDocument/semanticTokens/full", "semanticTokensProvider"),
    ("textDocument/signatureHelp", "signatureHelpProvider"),
    ("textDocument/typeDefinition", "typeDefinitionProvider"),
    ("workspace/executeCommand", "executeCommandProvider"),
    ("workspace/symbol", "workspaceSymbolProvider"),
];

/// How a server wants to hear of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextSync {
    pub(crate) open_close: bool,
    pub(crate) change: Change,
    /// Whether it wants to hear of saving, and then whether with the text.
    pub(crate) save: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Nothing,
    Whole,
    Pieces,
}

#[derive(Debug, Default)]
pub(crate) struct Abilities {
    greeted: Value,
    registered: BTreeMap<String, Registration>,
}

#[derive(Debug)]
struct Registration {
    method: String,
    selector: Selector,
    options: Value,
}

impl Abilities {
    /// What a greeting says, or why it cannot be used.
    pub(crate) fn greeted(mut result: Value) -> Result<Self, String> {
        let greeted = taken(&mut result, "capabilities");
        match &greeted["positionEncoding"] {
            Value::Null => {}
            Value::String(encoding) if encoding == "utf-16" => {}
            other => return Err(format!("it counts columns in {other}, which it was not offered")),
        }
        Ok(Self { greeted, registered: BTreeMap::new() })
    }

    /// What a server was heard to have, as pages want it.
    pub(crate) fn all(&self) -> Value {
        let registered: Vec<Value> = self
            .registered
            .values()
            .map(|it| json!({"method": it.method, "options": it.options}))
            .collect();
        json!({"greeted": self.greeted, "registered": registered})
    }

    /// Methods that it has for some document, each with its options, or `true` where it said none. What several
    /// registrations say is joined.
    pub(crate) fn by_method(&self) -> Map<String, Value> {
        let mut all = Map::new();
        let mut put = |method: &str, options: &Value| {
            // Tokens are registered under the name of all their forms.
            let method = method.strip_suffix("/full").unwrap_or(method);
            let mut options = options.clone();
            if let Value::Object(fields) = &mut options {
                fields.retain(|name, _| !OF_REGISTRATIONS.contains(&name.as_str()));
            }
            if !matches!(&options, Value::Object(fields) if !fields.is_empty()) {
                options = Value::Bool(true);
            }
            match all.get_mut(method) {
                Some(known) => join(known, options),
                None => drop(all.insert(method.to_owned(), options)),
            }
        };
        for (method, provider) in PROVIDERS {
            let offered = &self.greeted[*provider];
            if matches!(offered, Value::Object(_) | Value::Bool(true)) {
                put(method, offered);
            }
        }
        for it in self.registered.values() {
            let is_it = |known: &&str| known.strip_suffix("/full").unwrap_or(known) == it.method;
            if PROVIDERS.iter().any(|(known, _)| is_it(known)) {
                put(&it.method, &it.options);
            }
        }
        all
    }

    pub(crate) fn sync(&self) -> TextSync {
        let said = &self.greeted["textDocumentSync"];
        let change = |kind: &Value| match kind.as_u64() {
            Some(1) => Change::Whole,
            Some(2) => Change::Pieces,
            _ => Change::Nothing,
        };
        if said.is_object() {
            let save = match &said["save"] {
                Value::Bool(save) => save.then_some(false),
                Value::Object(save) => Some(save.get("includeText") == Some(&Value::Bool(true))),
                _ => None,
            };
            let open_close = said["openClose"] == true;
            return TextSync { open_close, change: change(&said["change"]), save };
        }
        // The old short form is about everything.
        let change = change(said);
        let any = change != Change::Nothing;
        TextSync { open_close: any, change, save: any.then_some(false) }
    }

    /// Whether it wants to hear of more folders.
    pub(crate) fn takes_folders(&self) -> bool {
        let folders = &self.greeted["workspace"]["workspaceFolders"];
        let told = &folders["changeNotifications"];
        let registered = |it: &Registration| it.method == "workspace/didChangeWorkspaceFolders";
        folders["supported"] == true
            && (told == true || told.is_string() || self.registered.values().any(registered))
    }

    /// Whether the server can be asked this, about this document if it is about one.
    pub(crate) fn can(&self, method: &str, document: Option<(&Uri, &str)>) -> bool {
        let asked = match method {
            // These belong to another: who has the one has the other.
            "completionItem/resolve" => "textDocument/completion",
            "codeAction/resolve" => "textDocument/codeAction",
            "codeLens/resolve" => "textDocument/codeLens",
            "inlayHint/resolve" => "textDocument/inlayHint",
            "documentLink/resolve" => "textDocument/documentLink",
            "textDocument/prepareRename" => "textDocument/rename",
            "workspaceSymbol/resolve" => "workspace/symbol",
            "callHierarchy/incomingCalls" | "callHierarchy/outgoingCalls" => {
                "textDocument/prepareCallHierarchy"
            }
            "typeHierarchy/supertypes" | "typeHierarchy/subtypes" => {
                "textDocument/prepareTypeHierarchy"
            }
            "textDocument/semanticTokens/range" | "textDocument/semanticTokens/full/delta" => {
                "textDocument/semanticTokens/full"
            }
            other => other,
        };
        let Some((_, provider)) = PROVIDERS.iter().find(|(known, _)| *known == asked) else {
            // An extension of its own: it will say so itself if it has no such method.
            return true;
        };
        let offered = &self.greeted[*provider];
        if matches!(offered, Value::Object(_) | Value::Bool(true)) {
            return Selector::read(&offered["documentSelector"]).takes(document);
        }
        // Tokens are registered under the name of all their forms.
        let name = asked.strip_suffix("/full").unwrap_or(asked);
        self.registered.values().any(|it| it.method == name && it.selector.takes(document))
    }

    /// Under which identifiers a document's diagnostics can be asked for; none if they cannot be.
    pub(crate) fn pulls(&self, uri: &Uri, language: &str) -> Vec<String> {
        let identifier = |options: &Value| options["identifier"].as_str().unwrap_or("").to_owned();
        let offered = &self.greeted["diagnosticProvider"];
        let mut pulls = Vec::new();
        if offered.is_object()
            && Selector::read(&offered["documentSelector"]).takes(Some((uri, language)))
        {
            pulls.push(identifier(offered));
        }
        for it in self.registered.values() {
            if it.method == "textDocument/diagnostic" && it.selector.takes(Some((uri, language))) {
                pulls.push(identifier(&it.options));
            }
        }
        pulls.sort();
        pulls.dedup();
        pulls
    }

    /// Keep a registration. Says whether there was room.
    pub(crate) fn register(&mut self, id: &str, method: &str, options: Value) -> bool {
        if self.registered.len() >= MOST_REGISTRATIONS && !self.registered.contains_key(id) {
            return false;
        }
        let selector = Selector::read(&options["documentSelector"]);
        let registration = Registration { method: method.to_owned(), selector, options };
        self.registered.insert(id.to_owned(), registration);
        true
    }

    pub(crate) fn unregister(&mut self, id: &str) {
        self.registered.remove(id);
    }
}

/// What options of a method say of their registration.
const OF_REGISTRATIONS: [&str; 3] = ["documentSelector", "id", "workDoneProgress"];

/// Options of one method that were said twice: lists and objects are joined, of all else the later counts.
fn join(known: &mut Value, more: Value) {
    match (known, more) {
        (Value::Object(known), Value::Object(more)) => {
            for (name, value) in more {
                match known.get_mut(&name) {
                    Some(known) => join(known, value),
                    None => drop(known.insert(name, value)),
                }
            }
        }
        (Value::Array(known), Value::Array(more)) => {
            for value in more {
                if !known.contains(&value) {
                    known.push(value);
                }
            }
        }
        (Value::Object(_), Value::Bool(true)) => {}
        (known, more) => *known = more,
    }
}

/// Which documents something is about.
#[derive(Debug)]
enum Selector {
    All,
    Any(Vec<Filter>),
}

#[derive(Debug)]
struct Filter {
    language: Option<String>,
    scheme: Option<String>,
    pattern: Option<Pattern>,
}

impl Selector {
    fn read(selector: &Value) -> Self {
        let Value::Array(filters) = selector else { return Self::All };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let filters = filters.iter().map(|filter| match filter {
            Value::String(language) => {
                Filter { language: Some(language.clone()), scheme: None, pattern: None }
            }
            filter => Filter {
                language: text(&filter["language"]),
                scheme: text(&filter["scheme"]),
                pattern: Some(&filter["pattern"]).filter(|it| !it.is_null()).map(Pattern::read),
            },
        });
        Self::Any(filters.collect())
    }

    fn takes(&self, document: Option<(&Uri, &str)>) -> bool {
        let (Self::Any(filters), Some((uri, language))) = (self, document) else { return true };
        filters.iter().any(|filter| {
            let scheme = uri.as_str().split(':').next();
            // The language of a document that is not open is not known, and does not exclude it.
            let speaks = |it: &String| it == "*" || language.is_empty() || it == language;
            filter.language.as_ref().is_none_or(speaks)
                && filter.scheme.as_deref().is_none_or(|it| it == "*" || Some(it) == scheme)
                && filter.pattern.as_ref().is_none_or(|it| it.takes(uri))
        })
    }
}

/// What we say that we can. Whatever stands here is answered or heard somewhere in this crate, or is form alone.
pub(crate) fn ours() -> Value {
    let dynamic = json!({"dynamicRegistration": true});
    let refreshes = json!({"refreshSupport": true});
    let linked = json!({"dynamicRegistration": true, "linkSupport": true});
    let lazily = |properties: Value| json!({"properties": properties});
    let documents = json!({
        "synchronization": {"dynamicRegistration": false, "didSave": true},
        "publishDiagnostics": {
            "versionSupport": true, "relatedInformation": true, "codeDescriptionSupport": true,
            "dataSupport": true, "tagSupport": {"valueSet": [1, 2]},
        },
        "diagnostic": {
            "dynamicRegistration": true, "relatedDocumentSupport": true, "relatedInformation": true,
            "codeDescriptionSupport": true, "dataSupport": true, "tagSupport": {"valueSet": [1, 2]},
        },
        "completion": {
            "dynamicRegistration": true,
            "contextSupport": true,
            "completionItem": {
                "snippetSupport": true, "insertReplaceSupport": true, "labelDetailsSupport": true,
                "deprecatedSupport": true, "documentationFormat": ["markdown", "plaintext"],
                "resolveSupport": lazily(json!(["documentation", "detail", "additionalTextEdits"])),
            },
        },
        "hover": {"dynamicRegistration": true, "contentFormat": ["markdown", "plaintext"]},
        "signatureHelp": {
            "dynamicRegistration": true,
            "contextSupport": true,
            "signatureInformation": {
                "documentationFormat": ["markdown", "plaintext"],
                "parameterInformation": {"labelOffsetSupport": true},
                "activeParameterSupport": true,
            },
        },
        "declaration": linked, "definition": linked, "typeDefinition": linked, "implementation": linked,
        "references": dynamic, "documentHighlight": dynamic, "formatting": dynamic,
        "rangeFormatting": dynamic, "onTypeFormatting": dynamic, "selectionRange": dynamic,
        "callHierarchy": dynamic, "documentLink": dynamic, "inlayHint": dynamic, "codeLens": dynamic,
        "documentSymbol": {"dynamicRegistration": true, "hierarchicalDocumentSymbolSupport": true},
        "rename": {"dynamicRegistration": true, "prepareSupport": true},
        "foldingRange": {"dynamicRegistration": true, "lineFoldingOnly": true},
        "codeAction": {
            "dynamicRegistration": true, "isPreferredSupport": true, "disabledSupport": true,
            "dataSupport": true, "resolveSupport": lazily(json!(["edit", "command"])),
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": [
                "", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.rewrite",
                "source", "source.organizeImports", "source.fixAll",
            ]}},
        },
        "semanticTokens": {
            "dynamicRegistration": true,
            "requests": {"range": true, "full": true},
            "tokenTypes": TOKEN_TYPES, "tokenModifiers": TOKEN_MODIFIERS, "formats": ["relative"],
            "overlappingTokenSupport": false, "multilineTokenSupport": false,
        },
    });
    let workspace = json!({
        "applyEdit": true,
        "workspaceEdit": {
            "documentChanges": true, "resourceOperations": ["create", "rename", "delete"],
            "failureHandling": "abort",
        },
        "configuration": true,
        "didChangeConfiguration": dynamic,
        "didChangeWatchedFiles": {"dynamicRegistration": true, "relativePatternSupport": true},
        "workspaceFolders": true,
        "symbol": dynamic,
        "executeCommand": dynamic,
        "codeLens": refreshes, "diagnostics": refreshes, "foldingRange": refreshes,
        "inlayHint": refreshes, "semanticTokens": refreshes,
    });
    json!({
        "general": {"positionEncodings": ["utf-16"]},
        "window": {"workDoneProgress": true, "showDocument": {"support": false}},
        "workspace": workspace,
        "textDocument": documents,
        // rust-analyzer says with this when it has read everything.
        "experimental": {"serverStatusNotification": true},
    })
}

const TOKEN_TYPES: &[&str] = &[
    "namespace",
    "type",
    "class",
    "enum",
    "interface",
    "struct",
    "typeParameter",
    "parameter",
    "variable",
    "property",
    "enumMember",
    "event",
    "function",
    "method",
    "macro",
    "keyword",
    "modifier",
    "comment",
    "string",
    "number",
    "regexp",
    "operator",
    "decorator",
];
const TOKEN_MODIFIERS: &[&str] = &[
    "declaration",
    "definition",
    "readonly",
    "static",
    "deprecated",
    "abstract",
    "async",
    "modification",
    "documentation",
    "defaultLibrary",
];

#[cfg(test)]
mod tests;
