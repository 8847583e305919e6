import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { runStatement } from '../../support/database.ts'
import type { TestStack } from './processes.ts'

/** Three renewals of a claim by whoever is alive. */
const LEFT = '15 seconds'

/** What one process holds until then, unless it renews that. */
const ends = [
  ['file', 'claimed_until'],
  ['copy', 'claimed_until'],
  ['operator_run', 'claimed_until'],
  ['turn', 'held_until'],
]

/**
 * After processes were killed: lets their claims and turns run out within a quarter of a minute instead of a whole one, and
 * takes from the broker the jobs that it would wait for them to acknowledge for as long. The living renew their claims
 * meanwhile, and what is due is enqueued again. That all this runs out by itself is seen by random-kills.full.test.ts.
 */
export async function endDeadClaims(stack: TestStack): Promise<void> {
  const end = `now() + interval '${LEFT}'`
  for (const [table, until] of ends) {
    await runStatement(stack.describe(), `update files.${table} set ${until} = ${end} where ${until} > ${end}`)
  }
  // What is to be let go of waits for whoever held it then.
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
