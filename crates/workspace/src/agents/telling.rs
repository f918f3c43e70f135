//! Telling views who is there: at once when somebody comes or goes, else at a pace that people can read.

use std::{sync::Weak, time::Duration};

use tokio::{runtime::Handle, time::Instant};

use super::{Agents, AgentsPart, LOOK_EVERY, Live, PACE, brought};

impl Agents {
    /// Tell now, or soon if something was told just now. Somebody who comes or goes does not wait
    /// for calls, only for others who do.
    pub(super) fn tell_in_time(&self, live: &mut Live, is_connection: bool) {
        if live.is_waiting_to_tell && !is_connection {
            return;
        }
        let last = if is_connection { live.connection_told_at } else { live.told_at };
        let wait = last.map_or(Duration::ZERO, |told| PACE.saturating_sub(told.elapsed()));
        let runtime = Handle::try_current().ok();
        match runtime {
            Some(runtime) if !wait.is_zero() => {
                if std::mem::replace(&mut live.is_waiting_to_tell, true) {
                    return;
                }
                let this = Weak::clone(&self.this);
                runtime.spawn(async move {
                    tokio::time::sleep(wait).await;
                    if let Some(agents) = this.upgrade() {
                        let mut live = agents.lock();
                        live.is_waiting_to_tell = false;
                        agents.tell(&mut live);
                    }
                });
            }
            _ => {
                if is_connection {
                    live.connection_told_at = Some(Instant::now());
                }
                self.tell(live);
            }
        }
    }

    /// Make the space's part what is so. Under the lock, so that no older value overtakes this one.
    pub(super) fn tell(&self, live: &mut Live) {
        let Some(space) = self.space.upgrade() else { return };
        let now = (self.now)();
        live.forget_silent(now);
        let mut records = live.records(now);
        live.told_at = Some(Instant::now());
        let told = space.observe(|state| {
            for (id, brought) in brought::counts(state) {
                if let Some(record) = records.get_mut(id.as_str()) {
                    record.brought = brought;
                }
            }
            state.part_mut::<AgentsPart>().become_these(records);
            Ok(())
        });
        if let Err(error) = told {
            tracing::error!(%error, "views were not told of agents");
        }
    }

    /// So that a view sees an agent go although nothing else happens.
    pub(super) fn look_for_silence(&self) {
        let this = Weak::clone(&self.this);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(LOOK_EVERY).await;
                let Some(agents) = this.upgrade() else { return };
                agents.tell(&mut agents.lock());
            }
        });
    }
}
