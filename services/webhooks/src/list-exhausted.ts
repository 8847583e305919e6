import { parseArgs } from 'node:util'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import { type ExhaustedPlace, exhaustedDeliveries } from './delivery/exhausted-deliveries.ts'
import { operatorProgram } from './operator-program.ts'

await operatorProgram('list-exhausted', {}, async ({ db, log, signal }) => {
  const { values } = parseArgs({
    options: {
      limit: { type: 'string', default: '100' },
      'older-than-seconds': { type: 'string', default: '0' },
      after: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  using printer = createPrinter((line) => process.stdout.write(`${line}\n`), values)
  let shown = 0
  let last = ''
  for await (const delivery of exhaustedDeliveries(db, Number(values['older-than-seconds']), placeOf(values.after))) {
    signal.throwIfAborted()
    if (shown === Number(values.limit))
      return log.info({ after: last }, 'there are more deliveries: continue with --after')
    const { id, webhookId, accountId, event, attempts, statusCode, error, doneAt: since, isActive } = delivery
    printer.row({ kind: 'delivery', deliveryId: id, webhookId, accountId, event, attempts, statusCode, error, since, isActive }) // biome-ignore format: one chain
    shown += 1
    last = `${since.toISOString()}/${id}`
  }
})

function placeOf(after: string | undefined): ExhaustedPlace | null {
  const [, time = '', id = ''] = /^([^/]+)\/([0-9a-f-]{36})$/.exec(after ?? '') ?? []
  if (after !== undefined && Number.isNaN(Date.parse(time)))
    throw new Error('Invalid --after. Use the value of "after" that the previous page logged.')
  return after === undefined ? null : { doneAt: new Date(time), id, until: null }
}
