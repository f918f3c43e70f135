//! Bounds of numbers that callers give. A schema declares them, `check` holds them: before anything is
//! looked at, under whichever name the argument was given.

use std::{fmt::Display, ops::RangeInclusive};

use openspace_command::{Error, Result};

/// Refuse a number beyond its bounds; the error names the argument.
pub(crate) fn check_bounds<N: PartialOrd + Display>(
    argument: &str,
    number: Option<N>,
    bounds: RangeInclusive<N>,
) -> Result<()> {
    match number {
        Some(number) if !bounds.contains(&number) => {
            let (least, most) = (bounds.start(), bounds.end());
            Err(Error::invalid(format!("argument `{argument}`: must be {least} to {most}")))
        }
        _ => Ok(()),
    }
}
