//! Shapes that schemas refer to, gathered where a document of this kind has them.

use serde_json::{Map, Value};

const WITHIN_A_SCHEMA: &str = "#/$defs/";
const WITHIN_THE_DOCUMENT: &str = "#/components/schemas/";

/// The shapes by their names.
#[derive(Default)]
pub(super) struct Components(Map<String, Value>);

impl Components {
    /// The schema with its own shapes moved here, and its references to them.
    pub(super) fn hoisted(&mut self, schema: &Value) -> Value {
        let mut schema = schema.clone();
        let shapes = schema.as_object_mut().and_then(|root| root.shift_remove("$defs"));
        redirect(&mut schema);
        if let Some(Value::Object(shapes)) = shapes {
            for (name, mut shape) in shapes {
                redirect(&mut shape);
                // Names are those of types: the same name is the same shape.
                self.0.entry(name).or_insert(shape);
            }
        }
        schema
    }

    pub(super) fn into_map(self) -> Map<String, Value> {
        self.0
    }
}

fn redirect(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get_mut("$ref")
                && let Some(name) = reference.strip_prefix(WITHIN_A_SCHEMA)
            {
                *reference = format!("{WITHIN_THE_DOCUMENT}{name}");
            }
            map.values_mut().for_each(redirect);
        }
        Value::Array(items) => items.iter_mut().for_each(redirect),
        _ => {}
    }
}
