//! Types written down: two blanks deeper for each level, on one line where it fits.

use std::fmt::Write;

use super::shape::{Field, Member, Type, quoted};

const WIDTH: usize = 100;

/// `export interface Name { … }`, or `export type Name = …;` for what is no object.
pub(super) fn declaration(name: &str, doc: &str, kind: &Type) -> String {
    let mut text = comment(doc, 0);
    if let Type::Object(fields) = kind {
        let _ = writeln!(text, "export interface {name} {}", object(fields, 0));
    } else {
        let start = format!("export type {name} =");
        let right = right_side(kind, 0, start.len());
        let _ = writeln!(text, "{start}{right};");
    }
    text
}

/// One field of an object, documented, with its line end.
pub(super) fn field(field: &Field, indent: usize) -> String {
    let mut text = comment(&field.doc, indent);
    let mark = if field.optional { "?" } else { "" };
    let start = format!("{}{}{mark}:", blanks(indent), key(&field.name));
    let right = right_side(&field.kind, indent, start.len());
    let _ = writeln!(text, "{start}{right};");
    text
}

/// A comment of at most a few lines, or nothing.
pub(super) fn comment(doc: &str, indent: usize) -> String {
    let start = blanks(indent);
    if doc.is_empty() {
        return String::new();
    }
    if indent + doc.chars().count() + 7 <= WIDTH {
        return format!("{start}/** {doc} */\n");
    }
    let mut text = format!("{start}/**");
    let mut length = WIDTH;
    for word in doc.split(' ') {
        let wide = word.chars().count() + 1;
        if length + wide > WIDTH {
            let _ = write!(text, "\n{start} *");
            length = indent + 2;
        }
        let _ = write!(text, " {word}");
        length += wide;
    }
    let _ = writeln!(text, "\n{start} */");
    text
}

/// What stands behind a `:` or a `=`, with the blank or the line end before it.
fn right_side(kind: &Type, indent: usize, used: usize) -> String {
    match kind {
        Type::Union(members) if !fits(kind, used) => union(members, indent + 2),
        _ => format!(" {}", block(kind, indent, used + 1)),
    }
}

/// On one line if that fits behind what is used of it, or on several.
fn block(kind: &Type, indent: usize, used: usize) -> String {
    if fits(kind, used) {
        return inline(kind);
    }
    match kind {
        Type::Object(fields) => object(fields, indent),
        Type::Union(members) => {
            format!("({}\n{})", union(members, indent + 2), blanks(indent))
        }
        Type::List(item) => format!("{}[]", enclosed(item, indent, used)),
        Type::Map(value) => format!("Record<string, {}>", block(value, indent, used + 15)),
        Type::All(parts) => {
            let parts: Vec<String> =
                parts.iter().map(|part| enclosed(part, indent, used)).collect();
            parts.join(" & ")
        }
        Type::Word(_) | Type::Tuple(_) => inline(kind),
    }
}

/// In brackets where its neighbours would take a part of it.
fn enclosed(kind: &Type, indent: usize, used: usize) -> String {
    match kind {
        _ if fits(kind, used) => bracketed(kind),
        Type::All(_) => format!("({})", block(kind, indent, used + 1)),
        _ => block(kind, indent, used),
    }
}

fn object(fields: &[Field], indent: usize) -> String {
    let fields: String = fields.iter().map(|each| field(each, indent + 2)).collect();
    format!("{{\n{fields}{}}}", blanks(indent))
}

fn union(members: &[Member], indent: usize) -> String {
    let mut text = String::new();
    for Member { doc, kind } in members {
        let doc = comment(doc, indent);
        let start = blanks(indent);
        let kind = match kind {
            Type::All(_) => format!("({})", block(kind, indent + 2, indent + 4)),
            _ => block(kind, indent + 2, indent + 2),
        };
        let _ = write!(text, "\n{doc}{start}| {kind}");
    }
    text
}

fn fits(kind: &Type, used: usize) -> bool {
    // One more for what ends the line.
    !has_docs(kind) && used + inline(kind).chars().count() < WIDTH
}

fn has_docs(kind: &Type) -> bool {
    match kind {
        Type::Word(_) => false,
        Type::List(inner) | Type::Map(inner) => has_docs(inner),
        Type::Tuple(parts) | Type::All(parts) => parts.iter().any(has_docs),
        Type::Object(fields) => {
            fields.iter().any(|field| !field.doc.is_empty() || has_docs(&field.kind))
        }
        Type::Union(members) => {
            members.iter().any(|member| !member.doc.is_empty() || has_docs(&member.kind))
        }
    }
}

/// All of it on one line, without documentation.
pub(super) fn inline(kind: &Type) -> String {
    let all = |parts: &[Type], between: &str, wrap: fn(&Type) -> String| {
        parts.iter().map(wrap).collect::<Vec<_>>().join(between)
    };
    match kind {
        Type::Word(word) => word.clone(),
        Type::List(item) => format!("{}[]", bracketed(item)),
        Type::Tuple(items) => format!("[{}]", all(items, ", ", inline)),
        Type::Map(value) => format!("Record<string, {}>", inline(value)),
        Type::All(parts) => all(parts, " & ", bracketed),
        Type::Union(members) => {
            let members = members.iter().map(|member| match &member.kind {
                kind @ Type::All(_) => bracketed(kind),
                kind => inline(kind),
            });
            members.collect::<Vec<_>>().join(" | ")
        }
        Type::Object(fields) => {
            let fields = fields.iter().map(|field| {
                let mark = if field.optional { "?" } else { "" };
                format!("{}{mark}: {}", key(&field.name), inline(&field.kind))
            });
            format!("{{ {} }}", fields.collect::<Vec<_>>().join("; "))
        }
    }
}

fn bracketed(kind: &Type) -> String {
    match kind {
        Type::Union(_) | Type::All(_) => format!("({})", inline(kind)),
        _ => inline(kind),
    }
}

fn blanks(indent: usize) -> String {
    " ".repeat(indent)
}

fn key(name: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
    let is_name = !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(plain);
    if is_name { name.to_owned() } else { quoted(name) }
}
