//! What the agent may do when it asks: nothing. A question needs no tool.

use agent_client_protocol_schema::v1::{
    PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
    SelectedPermissionOutcome,
};
use serde_json::Value;

/// Refuses, in the agent's own words where it offers any; a request that cannot be read is refused as well.
pub(super) fn refuse(params: Value) -> RequestPermissionResponse {
    let options = serde_json::from_value::<RequestPermissionRequest>(params).map(|request| request.options);
    let kinds = [PermissionOptionKind::RejectOnce, PermissionOptionKind::RejectAlways];
    let refusal = options.ok().and_then(|options| {
        kinds.iter().find_map(|kind| options.iter().find(|option| option.kind == *kind)).map(|o| o.option_id.clone())
    });
    RequestPermissionResponse::new(match refusal {
        Some(option) => RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option)),
        // There is no other way to say no.
        None => RequestPermissionOutcome::Cancelled,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(options: &Value) -> Value {
        let call = json!({"toolCallId": "t", "title": "rm -rf /"});
        let request = json!({"sessionId": "s", "toolCall": call, "options": options});
        serde_json::to_value(refuse(request)).unwrap()
    }

    #[test]
    fn nothing_is_ever_allowed() {
        let allow = json!({"optionId": "yes", "name": "Yes", "kind": "allow_once"});
        let reject = json!({"optionId": "no", "name": "No", "kind": "reject_once"});
        let never = json!({"optionId": "never", "name": "Never", "kind": "reject_always"});
        assert_eq!(
            answer(&json!([allow, never, reject])),
            json!({"outcome": {"outcome": "selected", "optionId": "no"}})
        );
        assert_eq!(answer(&json!([allow, never])), json!({"outcome": {"outcome": "selected", "optionId": "never"}}));
        for strange in [json!([allow]), json!([]), json!("x"), json!([{"optionId": "a", "kind": "new"}])] {
            assert_eq!(answer(&strange), json!({"outcome": {"outcome": "cancelled"}}), "{strange}");
        }
    }
}
