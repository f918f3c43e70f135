//! Files that are not text, told by their first bytes.

use super::*;

fn binary(bytes: &[u8], file_type: Option<&str>) {
    let stage = Stage::new();
    stage.put("file", bytes);
    let expected = BinaryView {
        size: bytes.len() as u64,
        file_type: file_type.map(str::to_owned),
        hash: Some(hash(bytes)),
    };
    assert_eq!(ask(&stage, "file", None, None), Ok(View::Binary(expected)));
}

fn image(bytes: &[u8], mime_type: &str, pixels: Option<(u32, u32)>) {
    let stage = Stage::new();
    stage.put("file", bytes);
    let expected = ImageView {
        mime_type: mime_type.to_owned(),
        width: pixels.map(|(width, _)| width),
        height: pixels.map(|(_, height)| height),
        size: bytes.len() as u64,
        hash: Some(hash(bytes)),
    };
    assert_eq!(ask(&stage, "file", None, None), Ok(View::Image(expected)));
}

#[test]
fn binary_files_are_named_and_not_shown() {
    binary(b"\x7fELF\x02\x01\x01\0", Some("elf"));
    binary(b"PK\x03\x04\x14\0\0\0", Some("zip"));
    binary(b"\x1f\x8b\x08\x01", Some("gzip"));
    binary(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", Some("pdf"));
    binary(b"SQLite format 3\0\x10\0", Some("sqlite"));
    binary(b"\0asm\x01\0\0\0", Some("wasm"));
    binary(b"RIFF\x24\0\0\0WAVEfmt ", Some("wav"));
    binary(b"some\0thing", None);
    binary(b"\xff\xfe\0\0a\0\0\0", None);
}

#[test]
fn text_that_begins_like_something_else_is_text() {
    for content in ["MZ is a mark", "BM", "GIF89a is old", "PK\n", "%PDF-", "<svg/>", "BZh9"] {
        assert_eq!(shown(content).content, format!("1: {}\n", content.trim_end()));
    }
}

#[test]
fn images_are_told_by_type_and_pixels() {
    image(
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x07\x80\0\0\x04\x38\x08\x06",
        "image/png",
        Some((1920, 1080)),
    );
    image(b"GIF89a\x40\x01\xf0\0\xf7\0\0", "image/gif", Some((320, 240)));
    let mut bmp = b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    bmp.extend(640_i32.to_le_bytes());
    bmp.extend((-480_i32).to_le_bytes());
    image(&bmp, "image/bmp", Some((640, 480)));
    let webp = |kind: &[u8], body: &[u8]| [b"RIFF\0\0\0\0WEBP", kind, b"\0\0\0\0", body].concat();
    image(&webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a\x20\x03\x58\x02"), "image/webp", Some((800, 600)));
    let bits: u32 = 799 + (599 << 14);
    image(
        &webp(b"VP8L", &[&b"\x2f"[..], &bits.to_le_bytes()].concat()),
        "image/webp",
        Some((800, 600)),
    );
    image(&webp(b"VP8X", b"\x10\0\0\0\x1f\x03\0\x57\x02\0"), "image/webp", Some((800, 600)));
}

#[test]
fn the_pixels_of_a_photograph_are_found_behind_long_segments() {
    let mut jpeg = b"\xff\xd8\xff\xe1\xff\xfe".to_vec();
    jpeg.extend(vec![0; 0xfffc]);
    jpeg.extend(b"\xff\xff\xdb\0\x04ab\xff\xc2\0\x11\x08\x0b\xd0\x0f\xc0\x03");
    image(&jpeg, "image/jpeg", Some((4032, 3024)));
}

#[test]
fn an_image_with_a_broken_head_has_no_pixels() {
    image(b"\x89PNG\r\n\x1a\n\0\0", "image/png", None);
    image(b"\xff\xd8\xff\xda\0\x04ab", "image/jpeg", None);
    image(b"\xff\xd8\xff\xe0", "image/jpeg", None);
    // A segment of no length leads nowhere.
    image(b"\xff\xd8\xff\xe0\0\0\0\0\0\0\0\0", "image/jpeg", None);
}
