//! XRay logs of any size.

use std::io::{self, Write};

use unspool_formats::xray::encode::{FdrBuffer, header};
use unspool_formats::xray::wire::{FunctionKind, Mode};

use super::program::{Dice, Program};
use super::{Options, Tick};

const BUFFER: usize = 65_536;
const PID: i32 = 4711;

/// Writes an FDR log of version 5 with `options.events` function records and occasional custom
/// events.
pub(super) fn write(out: &mut dyn Write, options: &Options, tick: &mut Tick<'_>) -> io::Result<()> {
    out.write_all(&header(Mode::Fdr, 1_000_000_000, BUFFER as u64).to_bytes())?;
    let mut program = Program::new(options.seed, options.threads, options.depth, options.mid_stack);
    let mut dice = Dice::new(options.seed ^ 0x5eed);
    let mut buffers: Vec<Option<FdrBuffer>> = vec![None; options.threads];
    // Out of order: a full buffer that is written after the next one.
    let mut held: Vec<Option<Vec<u8>>> = vec![None; options.threads];
    for i in 0..options.events {
        let step = program.step();
        let buffer = buffers[step.thread].get_or_insert_with(|| {
            let wall = ((step.time / 1_000_000_000) as i64, (step.time / 1000 % 1_000_000) as i32);
            FdrBuffer::new(PID, PID + step.thread as i32, (step.thread % 8) as u16, step.time, wall)
        });
        match (step.enter, dice.below(64)) {
            (true, 0) => {
                buffer.function(FunctionKind::EnterArgs, step.function, step.time);
                buffer.argument(dice.next());
            }
            (true, _) => buffer.function(FunctionKind::Enter, step.function, step.time),
            (false, _) => buffer.function(FunctionKind::Exit, step.function, step.time),
        }
        if dice.one_in(5000) {
            buffer.event(None, step.time, format!("request {i}").as_bytes());
        }
        if dice.one_in(20_000) {
            buffer.cpu(dice.below(8) as u16, step.time);
        }
        if buffer.len() + 128 > BUFFER
            && let Some(full) = buffers[step.thread].take()
        {
            let full = full.finish();
            match held[step.thread].take() {
                Some(earlier) => {
                    out.write_all(&full)?;
                    out.write_all(&earlier)?;
                }
                None if options.out_of_order && dice.one_in(4) => held[step.thread] = Some(full),
                None => out.write_all(&full)?,
            }
        }
        tick(i);
    }
    for (last, earlier) in buffers.into_iter().zip(held) {
        for bytes in [last.map(FdrBuffer::finish), earlier].into_iter().flatten() {
            out.write_all(&bytes)?;
        }
    }
    Ok(())
}
