//! The language of `sed`, read as far as needed to say that a script runs nothing and writes no file of its own.

/// Whether a script surely has no command `e`, no flag `e`, and writes no file by `w`. What cannot be read has.
pub(super) fn is_plain(script: &str) -> bool {
    Reader { letters: script.chars().collect(), at: 0 }.script().is_some()
}

struct Reader {
    letters: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += 1;
        Some(letter)
    }

    fn skip(&mut self, is_one: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&is_one) {
            self.at += 1;
        }
    }

    fn script(&mut self) -> Option<()> {
        loop {
            self.skip(|c| c.is_whitespace() || c == ';' || c == '}');
            if self.peek().is_none() {
                return Some(());
            }
            self.addresses()?;
            self.command()?;
        }
    }

    /// What stands before a command and says where it is done.
    fn addresses(&mut self) -> Option<()> {
        loop {
            match self.peek()? {
                '/' => {
                    self.at += 1;
                    self.pattern('/')?;
                    self.skip(|c| matches!(c, 'I' | 'M'));
                }
                '\\' => {
                    self.at += 1;
                    let end = self.next()?;
                    self.pattern(end)?;
                    self.skip(|c| matches!(c, 'I' | 'M'));
                }
                c if c.is_ascii_digit()
                    || matches!(c, '$' | ',' | '~' | '+' | '!' | ' ' | '\t') =>
                {
                    self.at += 1;
                }
                _ => return Some(()),
            }
        }
    }

    fn command(&mut self) -> Option<()> {
        match self.next()? {
            '{' => return Some(()),
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {}
            'q' | 'Q' | 'l' | 'L' => self.skip(|c| c.is_ascii_digit() || c == ' '),
            ':' | 'b' | 't' | 'T' | 'v' => return self.label(),
            'a' | 'i' | 'c' => {
                self.text();
                return Some(());
            }
            '#' | 'r' | 'R' => {
                self.skip(|c| c != '\n');
            }
            's' => {
                let end = self.next().filter(|end| !matches!(end, '\\' | '\n'))?;
                self.pattern(end)?;
                self.until(end)?;
                self.skip(|c| c.is_ascii_digit() || matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M'));
            }
            'y' => {
                let end = self.next().filter(|end| !matches!(end, '\\' | '\n'))?;
                self.until(end)?;
                self.until(end)?;
            }
            // `e` runs, `w` writes; others are not known.
            _ => return None,
        }
        self.skip(|c| matches!(c, ' ' | '\t'));
        matches!(self.peek(), None | Some(';' | '\n' | '}' | '#')).then_some(())
    }

    /// A name. Some take a `}` behind it for a part of it, so nothing may follow there.
    fn label(&mut self) -> Option<()> {
        self.skip(|c| matches!(c, ' ' | '\t'));
        self.skip(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        self.skip(|c| matches!(c, ' ' | '\t' | '}'));
        matches!(self.peek(), None | Some(';' | '\n')).then_some(())
    }

    /// To the sign that ends a pattern. One in brackets does not.
    fn pattern(&mut self, end: char) -> Option<()> {
        loop {
            match self.next()? {
                c if c == end => return Some(()),
                '\\' => drop(self.next()?),
                '[' => self.brackets()?,
                '\n' => return None,
                _ => {}
            }
        }
    }

    fn brackets(&mut self) -> Option<()> {
        self.at += usize::from(self.peek() == Some('^'));
        self.at += usize::from(self.peek() == Some(']'));
        loop {
            match self.next()? {
                ']' => return Some(()),
                '\n' => return None,
                // For some it takes the next sign along, so that must not matter.
                '\\' if matches!(self.peek(), Some('[' | ']')) => return None,
                '\\' => drop(self.next()?),
                '[' if matches!(self.peek(), Some(':' | '.' | '=')) => {
                    let kind = self.next()?;
                    while !(self.next()? == kind && self.peek() == Some(']')) {}
                    self.at += 1;
                }
                _ => {}
            }
        }
    }

    /// To the sign that ends what is put in the place of a pattern. A line does not.
    fn until(&mut self, end: char) -> Option<()> {
        loop {
            match self.next()? {
                c if c == end => return Some(()),
                '\\' => drop(self.next()?),
                '\n' => return None,
                _ => {}
            }
        }
    }

    /// Lines of text, to the end of the first that has no `\` at its end.
    fn text(&mut self) {
        while let Some(letter) = self.next() {
            match letter {
                '\\' => drop(self.next()),
                '\n' => break,
                _ => {}
            }
        }
    }
}
