//! What dpkg is told.

use super::*;

#[test]
fn the_newest_version_of_the_c_library_is_found() {
    let program =
        b"\x7fELF\0GLIBC_2.4\0GLIBC_2.34\0x\0GLIBC_2.9\0GLIBC_PRIVATE\0GLIBC_2.35 is said\0";
    assert_eq!(newest_glibc(program).unwrap(), "2.34");
    assert!(newest_glibc(b"static").is_err());
}

#[test]
fn the_control_file_says_what_is_inside() {
    let product = Product {
        version: "1.2.3".into(),
        machine: "x86_64".into(),
        time: "0".into(),
        has_page: true,
    };
    assert_eq!(
        control_file(&product, machine("x86_64").unwrap(), 42, "2.34"),
        "Package: openspace\n\
         Version: 1.2.3\n\
         Architecture: amd64\n\
         Maintainer: The OpenSpace contributors\n\
         Section: devel\n\
         Priority: optional\n\
         Installed-Size: 42\n\
         Depends: libc6 (>= 2.34), libgcc-s1\n\
         Recommends: bash, bubblewrap, git\n\
         Description: IDE that a person and an AI agent share\n \
         OpenSpace serves a folder as one live space: an IDE in the browser for a person,\n \
         tools over MCP and HTTP for agents. bubblewrap is needed for sandboxes.\n"
    );
    assert!(machine("riscv64").is_err());
}
