//! What is shown, as far as it can be told without making a place.

use std::path::Path;

use super::elsewhere::other_names_in;

const TABLE: &str = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                     23 22 8:2 / /data rw - ext4 /dev/sda2 rw\n\
                     24 22 8:2 /projects /exports\\040here rw - ext4 /dev/sda2 rw\n\
                     25 22 8:2 /projects/app/part /opt/part rw - ext4 /dev/sda2 rw\n\
                     26 22 8:2 /other /opt/other rw - ext4 /dev/sda2 rw\n";

#[test]
fn a_workspace_that_is_mounted_twice_has_other_names() {
    let names = other_names_in(TABLE, Path::new("/data/projects/app"));
    assert_eq!(names, [Path::new("/exports here/app"), Path::new("/opt/part")]);
    assert_eq!(other_names_in(TABLE, Path::new("/srv/app")), Vec::<std::path::PathBuf>::new());
}
