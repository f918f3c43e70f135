//! Schemas as the types declare them, their parts under their own names: what types of other
//! languages are generated from.
//!
//! Clients of the commands never see these; they get the inline ones of the registry.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

/// The declared schemas of a command.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// Of its arguments, as a caller gives them.
    pub args: fn() -> Value,
    /// Of its answer's data, as a caller is told it.
    pub result: fn() -> Value,
}

/// The schema of what a caller gives: what has a default may be left out.
pub fn given<T: JsonSchema>() -> Value {
    generate::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// The schema of what a caller is told: only what may really be missing may be missing.
pub fn told<T: JsonSchema>() -> Value {
    generate::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| settings.meta_schema = None);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
