//! What a host does, as facts that hold wherever it stands, and what is true of a local one alone.

pub(crate) mod conversations;
pub(crate) mod files;
mod own;
pub(crate) mod pipe_ends;
pub(crate) mod pipes;
pub(crate) mod programs;
pub(crate) mod script;
pub(crate) mod stage;
pub(crate) mod terminals;

/// Makes a test of each fact, with the host of the given kind.
macro_rules! every_fact {
    ($kind:ident) => {
        $crate::local::tests::every_fact! { @ $kind
            conversations {
                watched_files_are_told_until_they_are_unwatched
                only_the_newest_follower_of_files_is_told
                nothing_can_be_watched_without_a_follower
                the_tree_is_told_until_the_follower_leaves
                only_the_newest_follower_of_the_tree_is_told
                matches_are_told_while_they_are_found
                names_are_found_from_memory_and_after_changes
                git_asks_for_a_credential_by_item_and_takes_it_by_input
                git_goes_without_a_credential_that_nobody_can_give
            }
            files {
                rules_are_swapped_whole_and_bad_ones_change_nothing
                what_is_not_there_is_unknown
                full_outputs_are_read_by_location_and_nothing_else_there
                what_is_deleted_is_restored_and_the_largest_file_is_read_whole
            }
            pipe_ends {
                stopping_ends_everything_it_started
                who_does_not_stop_is_ended_after_the_patience
                what_outlives_a_program_is_ended
                a_program_whose_handle_is_dropped_is_stopped
                cancelling_says_how_it_ended
                giving_up_a_call_or_its_items_ends_the_program
                arguments_folder_and_environment_reach_it_as_they_are
                what_cannot_be_started_says_why
                a_program_is_found_without_being_started
                there_are_not_too_many_and_all_end_with_the_place
                the_memory_of_a_program_is_that_of_all_it_started
            }
            pipes {
                bytes_of_any_number_come_back_as_they_were
                bytes_come_back_however_they_are_cut
                a_question_is_answered_before_the_next_one_is_asked
                a_program_waits_for_whoever_does_not_read
                a_program_that_takes_no_input_holds_up_the_writer_alone
                input_is_taken_while_nobody_reads_the_output
                the_end_of_the_input_is_seen
                a_program_that_closes_its_streams_goes_on
                what_a_program_wrote_before_it_died_arrives
                the_end_of_what_a_program_complained_is_kept
                output_that_nobody_wants_is_thrown_away
                who_does_not_speak_is_held_up_by_the_conversation
                who_keeps_to_no_window_is_held_up_and_loses_nothing
            }
            programs {
                output_is_told_while_the_program_runs
                a_program_does_not_wait_for_its_listener
                a_cancelled_run_answers_although_nobody_takes_its_items
                a_listener_that_leaves_does_not_end_the_run
                cancelling_a_run_ends_its_processes
                dropping_a_run_ends_its_processes
                cancelling_a_wait_leaves_the_run_alone
                the_oldest_run_that_has_ended_makes_room
                a_name_is_used_once
                ending_all_leaves_no_process
            }
            terminals {
                a_view_gets_all_until_the_terminal_is_closed
                a_follower_is_told_of_changes_until_the_terminal_is_closed
                what_is_ended_in_a_terminal_leaves_what_it_shows
                without_a_listener_nothing_is_followed
                a_view_that_takes_nothing_can_still_be_cancelled
                a_view_ends_when_its_listener_leaves
                handles_stop_what_they_started_when_they_are_dropped
                a_name_is_used_once
                cancelling_a_run_in_a_terminal_leaves_it_running
            }
        }
    };
    (@ $kind:ident $($module:ident { $($fact:ident)* })*) => {
        $(mod $module {
            $(#[tokio::test]
            async fn $fact() {
                let stage = $crate::local::tests::stage::Stage::$kind().await;
                $crate::local::tests::$module::$fact(stage).await;
            })*
        })*
    };
}
pub(crate) use every_fact;

mod here {
    super::every_fact!(local);
}
