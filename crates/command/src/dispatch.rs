//! The one way in: count, resolve, read, check, look after, ask the guard, wait in line, run, record.

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures::FutureExt;
use openspace_protocol::{Access, ErrorKind};
use openspace_secrets::Masker;
use serde_json::{Map, Value};

use crate::{
    Asked, Attendance, Beginning, Budget, Call, Caller, Cx, Definition, Does, Error, Guard, Intent,
    Limits, Load, Masks, Meanwhile, Order, Recent, Record, Recorder, Registry, Reply, Result,
    Supervisor, audit, call::Reader, command::Answer, limits::Callers, masking, repeats,
    supervisor,
};

/// Milliseconds since 1970; injected, so that tests can set the time.
pub type Now = Arc<dyn Fn() -> u64 + Send + Sync>;

struct Shared<S: 'static> {
    state: Arc<S>,
    registry: Arc<Registry<S>>,
    limits: Limits,
    guard: Arc<dyn Guard<S>>,
    callers: Arc<Callers>,
    recorder: Arc<dyn Recorder>,
    masks: Arc<dyn Masks>,
    masked: AtomicU64,
    supervisor: OnceLock<Arc<dyn Supervisor>>,
    meanwhile: OnceLock<Arc<dyn Meanwhile>>,
    now: Now,
    last_call: AtomicU64,
}

/// A call that the recorder knows to run, until dropped.
struct Started(Arc<dyn Recorder>, u64);

impl Drop for Started {
    fn drop(&mut self) {
        self.0.ended(self.1);
    }
}

/// Runs commands. Cheap to clone.
pub struct Dispatcher<S: 'static>(Arc<Shared<S>>);

/// A dispatcher that is not kept for its sake.
pub struct WeakDispatcher<S: 'static>(Weak<Shared<S>>);

impl<S> Clone for WeakDispatcher<S> {
    fn clone(&self) -> Self {
        Self(Weak::clone(&self.0))
    }
}

impl<S> WeakDispatcher<S> {
    /// The dispatcher, if it is still there.
    pub fn upgrade(&self) -> Option<Dispatcher<S>> {
        self.0.upgrade().map(Dispatcher)
    }
}

impl<S> Clone for Dispatcher<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: Send + Sync + 'static> Dispatcher<S> {
    /// A dispatcher over a state and a registry.
    pub fn new(
        state: Arc<S>,
        registry: Arc<Registry<S>>,
        limits: Limits,
        guard: Arc<dyn Guard<S>>,
        recorder: Arc<dyn Recorder>,
        masks: Arc<dyn Masks>,
        now: Now,
    ) -> Self {
        Self(Arc::new(Shared {
            state,
            registry,
            limits,
            guard,
            callers: Arc::default(),
            recorder,
            masks,
            masked: AtomicU64::new(0),
            supervisor: OnceLock::new(),
            meanwhile: OnceLock::new(),
            now,
            last_call: AtomicU64::new(0),
        }))
    }

    /// Have somebody look after callers from now on. There is one for all; a second is not taken.
    pub fn look_after_callers(&self, supervisor: Arc<dyn Supervisor>) {
        if self.0.supervisor.set(supervisor).is_err() {
            tracing::error!("somebody looks after callers already");
        }
    }

    /// Have agents told what people did since their last call. There is one who knows; a second is not taken.
    pub fn tell_meanwhile(&self, meanwhile: Arc<dyn Meanwhile>) {
        if self.0.meanwhile.set(meanwhile).is_err() {
            tracing::error!("somebody tells what people did already");
        }
    }

    /// For who must not keep it: what runs for as long as it is there.
    pub fn downgrade(&self) -> WeakDispatcher<S> {
        WeakDispatcher(Arc::downgrade(&self.0))
    }

    /// The state that commands work on.
    pub fn state(&self) -> &Arc<S> {
        &self.0.state
    }

    /// The list of commands.
    pub fn registry(&self) -> &Arc<Registry<S>> {
        &self.0.registry
    }

    /// The numbers in force.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// What a caller has left.
    pub fn budget(&self, caller: &Caller) -> Budget {
        self.0.callers.budget(caller, &self.0.limits)
    }

    /// The last results of a caller, oldest first.
    pub fn recent(&self, caller: &Caller) -> Vec<Recent> {
        self.0.callers.recent(caller)
    }

    /// What all callers do together now.
    pub fn load(&self) -> Load {
        self.0.callers.load()
    }

    /// Failures that callers keep repeating, with how often.
    pub fn repeated_failures(&self) -> Vec<(Recent, usize)> {
        self.0.callers.repeated_failures()
    }

    /// Start a new turn for a caller.
    pub fn new_turn(&self, caller: &Caller) {
        self.0.callers.new_turn(caller);
    }

    /// A text that reaches an agent in another way than by a call, with secrets hidden in it.
    pub fn mask_text(&self, text: String) -> String {
        let masker = self.0.masks.masker();
        let masked = masker.mask(&text);
        self.count_masked(masked.count);
        if masked.count > 0 { masked.text.into_owned() } else { text }
    }

    /// The same of a value; names in it stay as they are.
    pub fn mask_value(&self, value: &mut Value) {
        let count = masking::mask_value(&self.0.masks.masker(), value);
        self.count_masked(count);
    }

    /// Wait until it is known what has to be hidden.
    pub async fn masks_ready(&self) {
        self.0.masks.ready().await;
    }

    /// How many secrets were masked so far.
    pub fn masked(&self) -> u64 {
        self.0.masked.load(Ordering::Relaxed)
    }

    fn count_masked(&self, count: usize) {
        self.0.masked.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Run a command and record it. The work runs in its own task: a caller that stops listening
    /// cannot leave it half recorded, and a panic in it is an `internal` error.
    pub async fn dispatch(&self, call: Call) -> Reply {
        let this = self.clone();
        let caller = call.caller.clone();
        let command = call.command.clone();
        match tokio::spawn(async move { this.carry_out(call).await }).await {
            Ok(reply) => reply,
            Err(join) => Reply {
                command,
                unknown: false,
                result: Err(Error::internal("the server is shutting down").because(join)),
                text: None,
                exit_code: None,
                budget: self.budget(&caller),
                warning: None,
                since: None,
                masked: 0,
                elapsed: Duration::ZERO,
            },
        }
    }

    /// Record a call that its edge cannot make out, and answer it with the reason.
    pub fn refuse(&self, call: &Call, error: Error) -> Reply {
        let mut record = self.begin(call);
        let definition = self.0.registry.find(&call.command);
        if let Some(definition) = &definition {
            record.command.clone_from(&definition.id);
        }
        let mut reply = self.conclude(record, Instant::now(), Err(error), false);
        self.finish(call, &mut reply);
        Reply { unknown: definition.is_none(), warning: self.warning(&reply.budget), ..reply }
    }

    fn begin(&self, call: &Call) -> Record {
        audit::begin(&self.0.masks.masker(), (self.0.now)(), call.caller.clone(), &call.command)
    }

    /// The last that is done to an answer: say what people did meanwhile, and hide secrets in what an agent gets.
    /// What is a part of a call is finished with the whole.
    fn finish(&self, call: &Call, reply: &mut Reply) {
        if !masking::is_masked_for(&call.caller) || call.nested {
            return;
        }
        // An answer that its caller may never see, or gets again, would be the only one that says it.
        let is_answered = call.reader == Reader::Caller
            && reply.result.as_ref().map_or_else(
                |error| error.kind != ErrorKind::Cancelled && error.approval.is_none(),
                |_| true,
            );
        if let Some(meanwhile) = self.0.meanwhile.get().filter(|_| is_answered) {
            reply.since = meanwhile.since_last_call(&call.caller);
        }
        if call.unmask.is_allowed() {
            // What was allowed to be seen is the answer, and no more.
            let masker = self.0.masks.masker();
            let told = reply.since.as_mut();
            reply.masked = told.map_or(0, |since| masking::mask_since(&masker, since));
        } else {
            masking::mask_reply(&self.0.masks.masker(), reply);
        }
        self.count_masked(reply.masked);
    }

    async fn carry_out(&self, mut call: Call) -> Reply {
        let started = Instant::now();
        if masking::is_masked_for(&call.caller) && !call.nested {
            // Nothing runs for an agent before it is known what it may not see.
            self.0.masks.ready().await;
            let progress = std::mem::take(&mut call.progress);
            call.progress = progress.masked(Arc::clone(&self.0.masks), call.unmask.clone());
        }
        let mut record = self.begin(&call);
        let definition = self.0.registry.resolve(&call.command);
        if let Ok(definition) = &definition {
            record.command.clone_from(&definition.id);
        }
        let unknown = definition.is_err();
        // A call is recorded however it ends: reading its arguments may panic as well as running.
        let observes = definition.as_ref().is_ok_and(|definition| definition.does == Does::Observe);
        // Whoever was told that something changed finds the call in the record, whatever happens to
        // the server next. Who only looked does not wait for a disk, and a part of a call is kept with it.
        let keeps = !call.nested
            && !observes
            && definition.as_ref().is_ok_and(|definition| definition.access != Access::Read);
        let attempt = self.attempt(&mut call, definition, &mut record);
        let attempt = AssertUnwindSafe(attempt).catch_unwind();
        let answer = attempt.await.unwrap_or_else(|panic| {
            Err(Error::internal("the command failed unexpectedly")
                .hint("this is a fault of OpenSpace; the log says more")
                .because(panic_text(panic.as_ref())))
        });
        if call.unmask.is_allowed() {
            audit::unmasked(&mut record);
        }
        let answer = self.0.callers.advised(&call.caller, call.repeated, answer);
        let mut reply = self.conclude(record, started, answer, observes);
        self.finish(&call, &mut reply);
        if keeps {
            self.0.recorder.kept().await;
        }
        Reply { unknown, warning: self.warning(&reply.budget), ..reply }
    }

    fn warning(&self, budget: &Budget) -> Option<String> {
        self.0.recorder.warning().or_else(|| budget.warning(&self.0.limits))
    }

    fn conclude(
        &self,
        mut record: Record,
        started: Instant,
        answer: Result<Answer>,
        observes: bool,
    ) -> Reply {
        let elapsed = started.elapsed();
        record.micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let (result, text, exit_code) = match answer {
            Ok(answer) => (Ok(into_object(answer.value)), answer.text, answer.exit_code),
            Err(error) => {
                let masker = self.0.masks.masker();
                audit::fail(&masker, &mut record, &error);
                log_failure(&masker, &record, &error);
                (Err(error), None, None)
            }
        };
        let (command, caller) = (record.command.clone(), record.caller.clone());
        if !(observes && result.is_ok()) {
            self.0.callers.remember(&record);
            self.0.recorder.record(record);
        }
        let budget = self.budget(&caller);
        Reply {
            command,
            unknown: false,
            result,
            text,
            exit_code,
            budget,
            warning: None,
            since: None,
            masked: 0,
            elapsed,
        }
    }

    async fn attempt(
        &self,
        call: &mut Call,
        definition: Result<Arc<Definition<S>>>,
        record: &mut Record,
    ) -> Result<Answer> {
        let shared = &self.0;
        if !call.nested {
            shared.callers.count(&call.caller, &shared.limits)?;
        }
        let definition = definition?;
        audit::not_understood(record);

        let mut args = as_object(call.args.take())?;
        let immediate = take_priority(&definition, &mut args)?;
        let passes_on = definition.does == Does::PassOn;
        if !call.nested {
            let repeated = repeats::digest(&call.caller, &definition.id, &args);
            shared.callers.check_repeated(&call.caller, repeated)?;
            call.repeated = repeated;
        }
        let is_watched = !passes_on && shared.guard.watches(&call.caller);
        let given = is_watched.then(|| args.clone());
        let prepared = definition.prepare(Value::Object(args))?;
        audit::describe(
            &shared.masks.masker(),
            record,
            &prepared.summary,
            prepared.workspace.as_deref(),
            &prepared.paths,
        );
        let attendance = self.attend(call, &definition, &prepared.summary)?;

        let wait = !call.nested && !immediate && definition.order == Order::Fifo;
        // What only passes calls on leaves the place to what it calls, which may wait for its guard.
        let takes_place = !passes_on && (!call.nested || call.passed_on);
        let work = async {
            if let Some(attendance) = &attendance {
                attendance.let_go_on(&call.progress).await?;
            }
            let mut judged = None;
            if let Some(arguments) = &given {
                let intent = prepared.work.intent(&shared.state, &call.caller);
                let seen = OnceLock::new();
                let first = intent.clone();
                let asked = Asked {
                    state: &shared.state,
                    caller: &call.caller,
                    command: &definition,
                    arguments,
                    summary: &prepared.summary,
                    intent,
                    progress: &call.progress,
                    hold: &call.hold,
                    seen: &seen,
                    prepared: &prepared,
                };
                let let_in = shared.guard.admit(asked).await?;
                audit::let_in(&shared.masks.masker(), record, let_in.as_deref());
                let seen = seen.into_inner().unwrap_or_default();
                judged = Some(Intent { seen, ..first });
            }
            let _turn = if wait {
                Some(shared.callers.queue(&call.caller, &shared.limits).await?)
            } else {
                None
            };
            let _running = if takes_place {
                Some(shared.callers.start(&call.caller, &shared.limits)?)
            } else {
                None
            };
            let _started = takes_place.then(|| self.tell_started(record));
            let cx = Cx {
                state: Arc::clone(&shared.state),
                caller: call.caller.clone(),
                progress: call.progress.clone(),
                cancelled: call.cancel.clone(),
                unmask: call.unmask.clone(),
                judged,
                hold: call.hold.clone(),
                wants_text: call.wants_text,
                passes_on,
                dispatcher: self.clone(),
            };
            prepared.work.run(cx).await
        };
        tokio::select! {
            biased;
            answer = work => answer,
            error = supervisor::ended(attendance.as_deref()) => {
                call.cancel.cancel();
                Err(error)
            }
            () = call.cancel.cancelled() => {
                Err(Error::new(ErrorKind::Cancelled, "the caller took the call back"))
            }
        }
    }

    /// Let whoever looks after the caller know, and hear whether the call may begin.
    fn attend(
        &self,
        call: &Call,
        definition: &Definition<S>,
        summary: &str,
    ) -> Result<Option<Box<dyn Attendance>>> {
        let Some(supervisor) = self.0.supervisor.get() else { return Ok(None) };
        supervisor.begin(&Beginning {
            caller: &call.caller,
            command: &definition.id,
            access: definition.access,
            summary,
            nested: call.nested,
        })
    }

    fn tell_started(&self, record: &Record) -> Started {
        let number = self.0.last_call.fetch_add(1, Ordering::Relaxed) + 1;
        self.0.recorder.started(number, record);
        Started(Arc::clone(&self.0.recorder), number)
    }
}

/// Arguments must be an object; none at all means an empty one.
fn as_object(args: Value) -> Result<Map<String, Value>> {
    match args {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        other => Err(Error::invalid(format!(
            "arguments must be a JSON object, not {}",
            match other {
                Value::Array(_) => "a list",
                Value::String(_) => "a text",
                Value::Number(_) => "a number",
                _ => "a truth value",
            }
        ))),
    }
}

/// `priority: "immediate"` is understood for every command that only changes what is shown.
fn take_priority<S: 'static>(
    definition: &Definition<S>,
    args: &mut Map<String, Value>,
) -> Result<bool> {
    let declared = definition.input.pointer("/properties/priority").is_some();
    if declared || !args.contains_key("priority") {
        return Ok(false);
    }
    let wanted = args.shift_remove("priority");
    match (wanted.as_ref().and_then(Value::as_str), definition.access) {
        (Some("normal"), _) => Ok(false),
        (Some("immediate"), Access::View | Access::Read) => Ok(true),
        (Some("immediate"), _) => Err(Error::invalid(
            "argument `priority`: only commands that change what is shown can jump the line",
        )),
        _ => Err(Error::invalid("argument `priority`: must be `normal` or `immediate`")),
    }
}

fn into_object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        Value::Null => Map::new(),
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".into())
}

fn log_failure(masker: &Masker, record: &Record, error: &Error) {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    let cause = cause.map(|cause| masker.mask_record(&cause).into_owned());
    let (command, caller, reason) = (&record.command, &record.caller.id, &record.error);
    if error.kind == ErrorKind::Internal {
        tracing::error!(command, caller, error = reason, cause, "command failed");
    } else {
        let kind = error.kind.word();
        tracing::debug!(command, caller, kind, error = reason, cause, "command refused");
    }
}

#[cfg(test)]
mod tests;
