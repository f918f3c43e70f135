//! Every type that is to be written, each under a name of its own.
//!
//! Schemas come as documents that each have their own names. The same name may mean different
//! things in two of them, and the same thing may be in many. Here equal ones become one, and
//! different ones of the same name are told apart by where they come from.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    print,
    shape::{Reader, Type, doc},
};

/// Words that mean something else, in the file or to everybody who writes for browsers.
const TAKEN: &[&str] = &[
    "Answer",
    "CommandId",
    "Commands",
    "Error",
    "Event",
    "Map",
    "NoArgs",
    "Node",
    "Record",
    "Set",
];

/// A type in the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry(usize);

impl Entry {
    /// A schema that means this type, in any document.
    pub(super) fn schema(self) -> Value {
        serde_json::json!({"$ref": format!("{BOOK}{}", self.0)})
    }
}

const BOOK: &str = "#book/";
const DEFINITIONS: &str = "#/$defs/";

struct Document {
    /// `area.verb`, or another word that tells where it is from.
    owner: String,
    given: bool,
    root: usize,
    definitions: BTreeMap<String, usize>,
}

struct Definition {
    document: usize,
    /// The name of the Rust type.
    base: String,
    /// The name it must have.
    fixed: Option<String>,
    schema: Value,
}

#[derive(Default)]
pub(super) struct Book {
    documents: Vec<Document>,
    definitions: Vec<Definition>,
}

impl Book {
    /// Add a document whose root has this very name.
    pub(super) fn fixed(&mut self, owner: &str, given: bool, name: &str, schema: Value) -> Entry {
        self.add(owner, given, Some(name.to_owned()), schema)
    }

    fn add(&mut self, owner: &str, given: bool, fixed: Option<String>, mut schema: Value) -> Entry {
        let document = self.documents.len();
        let mut definitions = BTreeMap::new();
        let root = self.definitions.len();
        let defined = schema.as_object_mut().and_then(|root| root.shift_remove("$defs"));
        let title = schema.get("title").and_then(Value::as_str).or(fixed.as_deref());
        let base = pascal(title.unwrap_or("Unnamed"));
        self.definitions.push(Definition { document, base, fixed, schema });
        if let Some(Value::Object(defined)) = defined {
            for (name, schema) in defined {
                definitions.insert(name.clone(), self.definitions.len());
                let base = pascal(&name);
                self.definitions.push(Definition { document, base, fixed: None, schema });
            }
        }
        self.documents.push(Document { owner: owner.to_owned(), given, root, definitions });
        Entry(root)
    }

    fn target(&self, document: usize, reference: &str) -> Option<usize> {
        let document = &self.documents[document];
        if reference == "#" {
            return Some(document.root);
        }
        match reference.strip_prefix(BOOK) {
            Some(number) => number.parse().ok(),
            None => document.definitions.get(reference.strip_prefix(DEFINITIONS)?).copied(),
        }
    }

    fn read(&self, number: usize, name: &dyn Fn(usize) -> String) -> Type {
        let Definition { document, schema, .. } = &self.definitions[number];
        let refer = |reference: &str| {
            // A name that nothing declares, so that a reference to nothing is found by the compiler.
            let lost = || format!("Lost{}", pascal(reference));
            Type::word(self.target(*document, reference).map_or_else(lost, name))
        };
        Reader { refer: &refer, given: self.documents[*document].given }.read(schema)
    }

    /// The whole of a type as one text: equal texts are equal types.
    fn text(&self, number: usize, above: &[usize]) -> String {
        let mut path = above.to_vec();
        path.push(number);
        let name = |inner: usize| {
            let base = &self.definitions[inner].base;
            // A type within itself is known by its name.
            let inside =
                if path.contains(&inner) { String::new() } else { self.text(inner, &path) };
            format!("<{base}>{inside}")
        };
        print::inline(&self.read(number, &name))
    }

    /// Gives every type its name.
    pub(super) fn named(self) -> Named {
        let texts: Vec<String> =
            (0..self.definitions.len()).map(|number| self.text(number, &[])).collect();
        let mut names: Vec<Option<String>> =
            self.definitions.iter().map(|definition| definition.fixed.clone()).collect();
        let mut taken: BTreeSet<String> = TAKEN.iter().map(|&word| word.to_owned()).collect();
        taken.extend(names.iter().flatten().cloned());
        let mut groups: BTreeMap<&str, BTreeMap<&str, Vec<usize>>> = BTreeMap::new();
        for (number, definition) in self.definitions.iter().enumerate() {
            if definition.fixed.is_none() {
                let alike = groups.entry(&definition.base).or_default();
                alike.entry(&texts[number]).or_default().push(number);
            }
        }
        for (base, alike) in &mut groups {
            // What has this very name already is no other type.
            let same = self.definitions.iter().position(|own| own.fixed.as_deref() == Some(*base));
            for number in
                same.and_then(|same| alike.remove(texts[same].as_str())).into_iter().flatten()
            {
                names[number] = Some((*base).to_owned());
            }
            let given = alike.values().filter(|numbers| self.only_given(numbers)).count();
            for numbers in alike.values() {
                // What is told keeps the word, and what differs when it is given says so; but no
                // two meanings may depend on which of them is looked at first.
                let short = match (self.only_given(numbers), alike.len() - given) {
                    (false, 1) => Some((*base).to_owned()),
                    (true, 0) if given == 1 => Some((*base).to_owned()),
                    (true, 1..) if given == 1 => Some(format!("{base}Input")),
                    _ => None,
                };
                let mut choices = short.into_iter().chain(self.longer(base, numbers));
                let name = choices.find(|name| !taken.contains(name)).unwrap_or_default();
                taken.insert(name.clone());
                for &number in numbers {
                    names[number] = Some(name.clone());
                }
            }
        }
        let names = names.into_iter().map(Option::unwrap_or_default).collect();
        Named { book: self, texts, names }
    }

    fn document_of(&self, number: usize) -> &Document {
        &self.documents[self.definitions[number].document]
    }

    fn only_given(&self, numbers: &[usize]) -> bool {
        numbers.iter().all(|&number| self.document_of(number).given)
    }

    /// Names for one of several meanings of a word: where it is from tells it apart.
    fn longer(&self, base: &str, numbers: &[usize]) -> impl Iterator<Item = String> {
        let owner = numbers.first().map_or("", |&number| &self.document_of(number).owner);
        let area = pascal(owner.split('.').next().unwrap_or_default());
        let base = base.to_owned();
        let from = [format!("{area}{base}"), format!("{}{base}", pascal(owner))];
        from.into_iter().chain((2_u32..).map(move |number| format!("{base}{number}")))
    }
}

/// Types with their names, ready to be written.
pub(super) struct Named {
    book: Book,
    texts: Vec<String>,
    names: Vec<String>,
}

impl Named {
    pub(super) fn name(&self, entry: Entry) -> &str {
        &self.names[entry.0]
    }

    /// Whether nothing can be in it.
    pub(super) fn is_empty(&self, entry: Entry) -> bool {
        self.texts[entry.0] == "Record<string, never>"
    }

    /// The declaration of a type with a fixed name: the whole, or another name for an equal one.
    pub(super) fn declaration(&self, entry: Entry) -> String {
        let Entry(number) = entry;
        let own = &self.book.definitions[number];
        let all = || self.book.definitions.iter().enumerate();
        let equal = |&(other, definition): &(usize, &Definition)| {
            definition.base == own.base && self.texts[other] == self.texts[number]
        };
        let unfixed = all().filter(equal).find(|(_, other)| other.fixed.is_none());
        let first = unfixed.or_else(|| all().find(equal)).map_or(number, |(first, _)| first);
        if self.names[first] == self.names[number] {
            return self.whole(number);
        }
        let kind = Type::word(self.names[first].clone());
        print::declaration(&self.names[number], &doc(&own.schema), &kind)
    }

    /// The declarations of all types without a fixed name, by their names.
    pub(super) fn shared(&self) -> Vec<String> {
        let definitions = || self.book.definitions.iter().enumerate();
        let numbers = definitions().filter(|(_, definition)| definition.fixed.is_none());
        let mut first: BTreeMap<&str, usize> =
            numbers.rev().map(|(number, _)| (self.names[number].as_str(), number)).collect();
        for name in definitions().filter_map(|(_, definition)| definition.fixed.as_deref()) {
            first.remove(name);
        }
        first.into_values().map(|number| self.whole(number)).collect()
    }

    fn whole(&self, number: usize) -> String {
        let name = |inner: usize| self.names[inner].clone();
        let kind = self.book.read(number, &name);
        print::declaration(&self.names[number], &doc(&self.book.definitions[number].schema), &kind)
    }
}

/// `editor.read_file` becomes `EditorReadFile`, and `Bounded_for_Change` `BoundedChange`.
pub(super) fn pascal(words: &str) -> String {
    let words = words.replace("_for_", "_").replace("_and_", "_");
    let words = words.split(|letter: char| !letter.is_ascii_alphanumeric());
    words
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        })
        .collect()
}
