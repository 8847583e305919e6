import { deliver } from '../../src/delivery/deliver.ts'
import { makeReady } from '../../src/delivery/ready-webhooks.ts'
import { claim, fileEvent, type Setup } from './setup.ts'

/** A webhook with a delivery that failed permanently after ten attempts. */
export async function exhausted(t: Setup) {
  const hook = await t.webhook()
  t.receiver.respondWith({ status: 500 })
  await t.receive(fileEvent(hook.account))
  await sendDue(t)
  const giveUp = 'update delivery set attempts = 10, next_attempt_at = null, done_at = now() where webhook_id = $1'
  await t.database.sql(giveUp, [hook.id])
  const [delivery] = await t.database.sql<{ id: string }>('select id from delivery where webhook_id = $1', [hook.id])
  return { hook, deliveryId: String(delivery?.id) }
}

/** Claims and sends due deliveries. Returns their number. */
export async function sendDue(t: Setup): Promise<number> {
  const deliveries = await claim(t)
  const send = async (claimed: (typeof deliveries)[number]) => {
    await deliver(t, claimed)
    await makeReady(t.db, claimed.webhookId)
  }
  await Promise.all(deliveries.map(send))
  return deliveries.length
}
