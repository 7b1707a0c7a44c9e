{#
  Fails with the rows of `tollgate_moves` that move more users than the table of approvals allows:
  `placement`, `from_outcome`, `to_outcome`, and `users`, the largest approved number.
#}
{% test tollgate_no_move_without_approval(model, approvals) %}
select moves.*, coalesce(approved.users, 0) as approved_users
from {{ model }} as moves
left join {{ approvals }} as approved
  on moves.placement = approved.placement
  and moves.from_outcome = approved.from_outcome
  and moves.to_outcome = approved.to_outcome
where moves.users > coalesce(approved.users, 0)
{% endtest %}
