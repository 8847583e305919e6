import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { endStray } from '../processes/process-record.ts'
import type { DataLayout } from './data-layout.ts'

/** Ends every process that a killed stack left behind on this data: services first, then what they depend on. */
export async function endStrays(layout: DataLayout): Promise<void> {
  const services: Promise<void>[] = []
  for await (const name of glob('*.json', { cwd: layout.pids })) {
    services.push(endStray(join(layout.pids, name), 'SIGKILL'))
  }
  await Promise.all(services)
  const nodes: Promise<void>[] = []
  for await (const record of glob('*/process.json', { cwd: layout.networks })) {
    nodes.push(endStray(join(layout.networks, record), 'SIGTERM'))
  }
  await Promise.all([
    ...nodes,
    endStray(join(layout.postgres, 'process.json'), 'SIGINT'),
    endStray(join(layout.nats, 'process.json'), 'SIGTERM'),
    endStray(join(layout.s3, 'process.json'), 'SIGTERM'),
  ])
}
