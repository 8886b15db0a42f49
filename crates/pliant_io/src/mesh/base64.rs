//! Base64: bytes as letters, in groups of four (RFC 4648).

/// The bytes, or the number of the letter that does not belong.
pub(super) fn decode(letters: &[u8]) -> Result<Vec<u8>, usize> {
    let mut reader = Reader { letters, at: 0 };
    let mut bytes = Vec::new();
    while let Some(group) = reader.next_group()? {
        bytes.extend(group);
    }
    Ok(bytes)
}

/// Decodes group by group, so that a part of a long text costs no more than that part.
///
/// Blanks are skipped, and a group that ends in `=` may be followed by another: programs that
/// encode in pieces leave such.
pub(super) struct Reader<'a> {
    pub(super) letters: &'a [u8],
    pub(super) at: usize,
}

impl Reader<'_> {
    /// One to three bytes; nothing at the end; or the number of the letter that does not belong.
    pub(super) fn next_group(&mut self) -> Result<Option<impl Iterator<Item = u8> + use<>>, usize> {
        let (mut bits, mut count, mut padding) = (0, 0, 0);
        while count < 4 {
            let Some(&letter) = self.letters.get(self.at) else {
                return if count == 0 { Ok(None) } else { Err(self.at) };
            };
            let value = match letter {
                b'=' if count >= 2 => {
                    padding += 1;
                    0
                }
                b' ' | b'\t' | b'\r' | b'\n' => {
                    self.at += 1;
                    continue;
                }
                _ if padding > 0 => return Err(self.at),
                b'A'..=b'Z' => letter - b'A',
                b'a'..=b'z' => letter - b'a' + 26,
                b'0'..=b'9' => letter - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return Err(self.at),
            };
            bits = bits << 6 | u32::from(value);
            count += 1;
            self.at += 1;
        }
        Ok(Some(bits.to_be_bytes().into_iter().skip(1).take(3 - padding)))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::decode;

    /// Bytes as letters.
    pub(crate) fn encode(bytes: &[u8]) -> String {
        const LETTERS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let group = |three: &[u8]| {
            let bits = (0..3).fold(0, |bits, k| bits << 8 | u32::from(*three.get(k).unwrap_or(&0)));
            let letter = |k: usize| char::from(LETTERS[(bits >> (18 - 6 * k) & 63) as usize]);
            (0..4).map(|k| if k <= three.len() { letter(k) } else { '=' }).collect::<String>()
        };
        bytes.chunks(3).map(group).collect()
    }

    #[test]
    fn the_examples_of_the_standard() {
        let pairs =
            [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmE=", "fooba")];
        for (letters, bytes) in pairs {
            assert_eq!(decode(letters.as_bytes()).unwrap(), bytes.as_bytes());
        }
        assert_eq!(decode(b"Zg==\n Zm8=").unwrap(), b"ffo");
        assert_eq!(decode(b"+/+/").unwrap(), [0xfb, 0xff, 0xbf]);
        for (wrong, at) in [("Zg=", 3), ("Z", 1), ("Z===", 1), ("Zg=a", 3), ("Zm-v", 2), ("=", 0)] {
            assert_eq!(decode(wrong.as_bytes()), Err(at), "{wrong}");
        }
    }
}
