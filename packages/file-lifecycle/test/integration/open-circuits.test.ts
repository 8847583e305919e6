import { waitFor } from '@tideport/testing/wait-for'
import { expect, it } from 'vitest'
import { readOpenCircuits, tellCircuits } from '../../src/process/open-context.ts'
import { log, setup } from '../bundle.ts'

const never = new AbortController().signal

it('an open circuit is recorded until it closes, and the row of a crashed process expires', async () => {
  await using t = await setup()
  let isClosed = false
  const circuits = new Map([
    ['disk', { isClosed: () => isClosed }],
    ['lake', { isClosed: () => true }],
  ])
  const open = () => tellCircuits(circuits, { db: t.db, service: 'sync', log, signal: never })
  await using telling = open()
  const found = await waitFor(async () => (await readOpenCircuits(t.db))[0])
  expect(found).toMatchObject({ service: 'sync', needs: 'disk', openedAt: expect.any(Date) })
  telling.wake()
  await waitFor(async () => {
    const [row] = await t.database.sql('select 1 from open_circuit where told_at > opened_at')
    return row
  })
  expect(await readOpenCircuits(t.db)).toEqual([found])
  isClosed = true
  telling.wake()
  await waitFor(async () => (await readOpenCircuits(t.db)).length === 0)

  isClosed = false
  await open()[Symbol.asyncDispose]()
  expect(await readOpenCircuits(t.db)).toHaveLength(1)
  await t.database.sql(`update open_circuit set told_at = now() - interval '31 seconds'`)
  expect(await readOpenCircuits(t.db)).toEqual([])
  telling.wake()
  await waitFor(async () => (await t.database.sql('select 1 from open_circuit')).length === 1)
})
