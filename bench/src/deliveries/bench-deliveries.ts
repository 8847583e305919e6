import { benchBacklog } from './bench-backlog.ts'
import { benchClaims } from './bench-claims.ts'
import { benchDeadNames } from './bench-dead-names.ts'

/** Webhook deliveries: what a claim costs, what a long backlog does to its webhook, what dead names do to others. */
export async function benchDeliveries(): Promise<void> {
  await benchClaims()
  await benchBacklog()
  await benchDeadNames()
}
