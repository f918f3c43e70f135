//! Changing sizes: an agent asks for percent of the window, a person drags a divider.
//!
//! A size that cannot be reached is refused, never approximated. A drag has happened already, so it
//! is followed as closely as the minimum of each pane allows.

use openspace_protocol::PaneId;

use super::{
    Area, Layout, LayoutError, Split,
    geometry::percent,
    shares::{Shares, WHOLE, fraction, share},
};

/// The least and the most percent of the window a pane can be given.
const SENSIBLE: (f64, f64) = (5.0, 95.0);

impl Layout {
    /// Gives a pane a width, a height or both, in percent of the window.
    ///
    /// The nearest divider in that direction around the pane moves; whatever else that split holds
    /// shares the rest in proportion.
    pub fn resize(
        &mut self,
        pane: PaneId,
        width: Option<f64>,
        height: Option<f64>,
    ) -> Result<(), LayoutError> {
        self.locate(pane)?;
        if width.is_none() && height.is_none() {
            return Err(LayoutError::NoDimension);
        }
        self.attempt(|layout| {
            for (split, size) in [(Split::Vertical, width), (Split::Horizontal, height)] {
                if let Some(size) = size {
                    layout.resize_along(pane, split, size)?;
                }
            }
            Ok(())
        })
    }

    fn resize_along(&mut self, pane: PaneId, split: Split, size: f64) -> Result<(), LayoutError> {
        let (area, grid, path) = self.locate(pane)?;
        let Some((depth, extent)) = grid.root.nearest_split(&path, split) else {
            return self.resize_area(area, pane, split, size);
        };
        let extent = extent * self.rectangle(area).extent(split);
        let split_path = &path[..depth];
        let Some(branch) = self.grid_mut(area).and_then(|grid| grid.root.branch_mut(split_path))
        else {
            return Err(self.unknown_pane(pane));
        };
        let wanted = reach(pane, split, size, extent, branch.shares.reachable())?;
        branch.shares.set(path[depth], wanted);
        Ok(())
    }

    /// Moves the divider between areas, for a pane that fills its area in that direction.
    fn resize_area(
        &mut self,
        area: Area,
        pane: PaneId,
        split: Split,
        size: f64,
    ) -> Result<(), LayoutError> {
        let (dock, is_dock) = match split {
            Split::Vertical => (&mut self.right, area == Area::Right),
            Split::Horizontal => (&mut self.bottom, area == Area::Bottom),
        };
        let full_height = split == Split::Horizontal && area == Area::Right;
        if dock.grid.is_none() || full_height {
            let reason = "it fills the window in that direction".into();
            let dimension = dimension(split);
            return Err(LayoutError::NothingToResize { id: pane, dimension, reason });
        }
        let wanted = reach(pane, split, size, 1.0, Shares::halves().reachable())?;
        dock.share = if is_dock { wanted } else { WHOLE - wanted };
        Ok(())
    }

    /// Follows a drag: sets how the split that separates two panes divides its room.
    ///
    /// One positive number for each part of the split, in any unit, such as pixels. Between panes of
    /// different areas these are two: main and bottom, or everything else and right. Returns the
    /// fractions as they are now; they differ from what was asked where a part would be too small.
    pub fn set_fractions(
        &mut self,
        first: PaneId,
        second: PaneId,
        fractions: &[f64],
    ) -> Result<Vec<f64>, LayoutError> {
        let (area, _, path) = self.locate(first)?;
        let (other_area, _, other_path) = self.locate(second)?;
        if first == second {
            return Err(LayoutError::SamePane(first));
        }
        if area != other_area {
            let shares = divide_into(2, fractions)?;
            let after = shares.get(1);
            if area == Area::Right || other_area == Area::Right {
                self.right.share = after;
            } else {
                self.bottom.share = after;
            }
            return Ok(shares.fractions());
        }
        let common = path.iter().zip(&other_path).take_while(|(one, other)| one == other).count();
        let Some(branch) =
            self.grid_mut(area).and_then(|grid| grid.root.branch_mut(&path[..common]))
        else {
            return Err(self.unknown_pane(second));
        };
        branch.shares = divide_into(branch.children.len(), fractions)?;
        Ok(branch.shares.fractions())
    }
}

pub(super) fn divide_into(parts: usize, fractions: &[f64]) -> Result<Shares, LayoutError> {
    if fractions.len() != parts {
        let given = fractions.len();
        return Err(LayoutError::WrongCount { what: "`fractions`", needed: parts, given });
    }
    Shares::from_weights(fractions)
}

/// The share of a split that gives a pane `size` percent of the window, if it can have that.
fn reach(
    pane: PaneId,
    split: Split,
    size: f64,
    extent: f64,
    (least, most): (u32, u32),
) -> Result<u32, LayoutError> {
    let low = percent(fraction(least) * extent).max(SENSIBLE.0);
    let high = percent(fraction(most) * extent).min(SENSIBLE.1);
    let dimension = dimension(split);
    if low > high {
        let room = percent(extent);
        let reason = format!("its split has only {room} percent of the window to divide");
        return Err(LayoutError::NothingToResize { id: pane, dimension, reason });
    }
    if !(low..=high).contains(&size) {
        let what = format!("the {dimension} of {pane} in percent");
        return Err(LayoutError::OutOfRange { what, asked: size, min: low, max: high });
    }
    // The ends of the range are rounded for the reader, so they may lie a hair outside.
    Ok(share(size / 100.0 / extent).clamp(least, most))
}

const fn dimension(split: Split) -> &'static str {
    match split {
        Split::Vertical => "width",
        Split::Horizontal => "height",
    }
}
