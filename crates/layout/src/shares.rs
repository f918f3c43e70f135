//! Shares of a split in whole parts of a billion.
//!
//! Integers, because they add up exactly, compare exactly and come back from JSON as they went in.
//! Outside they are fractions of 1. No share may fall below [`minimum`], so no pane can vanish.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LayoutError;

/// All of a split.
pub(super) const WHOLE: u32 = 1_000_000_000;

/// How far from 1 the sum of saved fractions may be: room for numbers written by hand.
const SAVED_SUM_TOLERANCE: f64 = 1e-6;

/// The smallest share of one child among `count`: a twentieth, less when many share the room.
pub(super) fn minimum(count: usize) -> u32 {
    let half_of_an_even_share = WHOLE / 2 / u32::try_from(count.max(1)).unwrap_or(u32::MAX);
    half_of_an_even_share.min(WHOLE / 20)
}

/// A share as a fraction of 1.
pub(super) fn fraction(share: u32) -> f64 {
    f64::from(share) / f64::from(WHOLE)
}

/// The share nearest to a fraction; fractions outside 0 to 1 count as the nearer end.
pub(super) fn share(fraction: f64) -> u32 {
    let parts = (fraction.clamp(0.0, 1.0) * f64::from(WHOLE)).round();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and a billion and without decimals; not-a-number becomes 0"
    )]
    let share = parts as u32;
    share
}

/// Divides `total` in proportion to `weights`, with at least `least` for each.
///
/// The result adds up to `total` exactly. `least` times the number of weights must not exceed
/// `total`, which [`minimum`] guarantees.
pub(super) fn divide(weights: &[u32], total: u32, least: u32) -> Vec<u32> {
    let count = weights.len();
    let equal_weights = vec![1; count];
    let weights = if weights.iter().all(|weight| *weight == 0) { &equal_weights } else { weights };
    let mut raised = vec![false; count];
    loop {
        let mut rest = u64::from(total);
        let mut weight_of_rest = 0;
        for (weight, raised) in weights.iter().zip(&raised) {
            if *raised {
                rest = rest.saturating_sub(u64::from(least));
            } else {
                weight_of_rest += u64::from(*weight);
            }
        }
        let part = |weight: u32| {
            let part = (u64::from(weight) * rest).checked_div(weight_of_rest).unwrap_or(0);
            u32::try_from(part).unwrap_or(total)
        };
        let too_small: Vec<usize> =
            (0..count).filter(|i| !raised[*i] && part(weights[*i]) < least).collect();
        if too_small.is_empty() {
            let mut shares: Vec<u32> =
                (0..count).map(|i| if raised[i] { least } else { part(weights[i]) }).collect();
            spread_rounding_rest(&mut shares, &raised, total);
            return shares;
        }
        for i in too_small {
            raised[i] = true;
        }
    }
}

/// Rounding down loses less than one part for each child; the first children get one back each.
fn spread_rounding_rest(shares: &mut [u32], raised: &[bool], total: u32) {
    let mut rest = total - shares.iter().sum::<u32>();
    for (share, raised) in shares.iter_mut().zip(raised) {
        if rest > 0 && !raised {
            *share += 1;
            rest -= 1;
        }
    }
}

/// The shares of the children of one split; they add up to the whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "Vec<f64>", try_from = "Vec<f64>")]
#[schemars(with = "Vec<f64>")]
pub(super) struct Shares(Vec<u32>);

impl Shares {
    pub(super) fn halves() -> Self {
        Self(vec![WHOLE / 2, WHOLE / 2])
    }

    /// The same for each of so many.
    pub(super) fn equal(count: usize) -> Self {
        Self::fitted(&vec![1; count])
    }

    /// Positive weights of any size, such as pixels, in proportion and with the minimum for each.
    pub(super) fn from_weights(weights: &[f64]) -> Result<Self, LayoutError> {
        let largest_weight = 1e12;
        for weight in weights {
            if !(*weight > 0.0 && *weight < largest_weight) {
                return Err(LayoutError::NotBetween {
                    what: "each of `fractions`",
                    asked: *weight,
                    above: 0.0,
                    below: largest_weight,
                });
            }
        }
        let sum: f64 = weights.iter().sum();
        Ok(Self::fitted(&weights.iter().map(|weight| share(weight / sum)).collect::<Vec<_>>()))
    }

    /// The given shares stretched to the whole, with the minimum for each.
    fn fitted(shares: &[u32]) -> Self {
        Self(divide(shares, WHOLE, minimum(shares.len())))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, index: usize) -> u32 {
        self.0[index]
    }

    pub(super) fn fractions(&self) -> Vec<f64> {
        self.0.iter().copied().map(fraction).collect()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().copied()
    }

    /// The smallest and the largest share one child can have.
    pub(super) fn reachable(&self) -> (u32, u32) {
        let least = minimum(self.len());
        let others = u32::try_from(self.len() - 1).unwrap_or(u32::MAX);
        (least, WHOLE - least.saturating_mul(others))
    }

    /// Gives one child exactly `share`, which must be reachable; the others divide the rest.
    pub(super) fn set(&mut self, index: usize, share: u32) {
        let mut others = self.0.clone();
        others.remove(index);
        self.0 = divide(&others, WHOLE - share, minimum(self.len()));
        self.0.insert(index, share);
    }

    /// Makes room for a new child at `at` by halving the share of the present child `of`.
    pub(super) fn insert_half(&mut self, at: usize, of: usize) {
        let half = self.0[of] / 2;
        self.0[of] -= half;
        self.0.insert(at, half);
        *self = Self::fitted(&self.0);
    }

    /// Takes a child out; the others share its room in proportion.
    pub(super) fn remove(&mut self, index: usize) {
        self.0.remove(index);
        *self = Self::fitted(&self.0);
    }

    /// Replaces the share of a child by the shares of its own children.
    pub(super) fn splice(&mut self, index: usize, inner: &Self) {
        let inner = divide(&inner.0, self.0[index], 0);
        self.0.splice(index..=index, inner);
        *self = Self::fitted(&self.0);
    }

    /// Whether every child has its minimum and all of them together the whole.
    pub(super) fn are_valid(&self) -> bool {
        let least = minimum(self.len());
        let sum: u64 = self.iter().map(u64::from).sum();
        sum == u64::from(WHOLE) && self.iter().all(|share| share >= least)
    }
}

impl From<Shares> for Vec<f64> {
    fn from(shares: Shares) -> Self {
        shares.fractions()
    }
}

impl TryFrom<Vec<f64>> for Shares {
    type Error = String;

    fn try_from(fractions: Vec<f64>) -> Result<Self, String> {
        let sum: f64 = fractions.iter().sum();
        let within = (sum - 1.0).abs() <= SAVED_SUM_TOLERANCE;
        if !within || fractions.iter().any(|fraction| *fraction <= 0.0) {
            return Err(format!(
                "the fractions of a split are positive and add up to 1, not {sum}"
            ));
        }
        let shares: Vec<u32> = fractions.iter().map(|fraction| share(fraction / sum)).collect();
        let least = minimum(shares.len());
        if let Some(small) = shares.iter().find(|share| **share < least) {
            let (small, least) = (fraction(*small), fraction(least));
            return Err(format!("the fraction {small} of a split is below its minimum {least}"));
        }
        Ok(Self::fitted(&shares))
    }
}

/// How [`share`] is written: as a fraction, for fields that are one share.
pub(super) mod as_fraction {
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
    pub(in super::super) fn serialize<S: Serializer>(
        share: &u32,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(super::fraction(*share))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<u32, D::Error> {
        Ok(super::share(f64::deserialize(deserializer)?))
    }
}
