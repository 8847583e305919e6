import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { runStatement } from '../../support/database.ts'
import type { TestStack } from './processes.ts'

/** Three renewal intervals of a claim. */
const LEFT = '15 seconds'

/** Claims and locks that expire unless a process renews them. */
const ends = [
  ['file', 'claimed_until'],
  ['copy', 'claimed_until'],
  ['operator_run', 'claimed_until'],
  ['turn', 'held_until'],
]

/**
 * After processes were killed: lets their claims and locks expire within 15 seconds instead of a minute, and deletes their
 * unacknowledged jobs from the broker, which would otherwise wait as long. Running processes renew their claims meanwhile,
 * and due work is enqueued again. random-kills.full.test.ts proves that claims also expire without this help.
 */
export async function endDeadClaims(stack: TestStack): Promise<void> {
  const end = `now() + interval '${LEFT}'`
  for (const [table, until] of ends) {
    await runStatement(stack.describe(), `update files.${table} set ${until} = ${end} where ${until} > ${end}`)
  }
  // Copies in state dropping wait for readers that started earlier.
  await runStatement(
    stack.describe(),
    `update files.copy set due_at = ${end} where state = 'dropping' and due_at > ${end}`,
  )
  const connection = await connect({ servers: stack.describe().natsUrl })
  try {
    await (await jetstreamManager(connection)).streams.purge('JOBS')
  } finally {
    await connection.close()
  }
}
