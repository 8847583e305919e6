import { rm } from 'node:fs/promises'
import type { DataLayout } from '../data-directory/data-layout.ts'
import { removeCluster } from '../servers/postgres/cluster-home.ts'

/** Removes what a stack keeps, and nothing else that may be in the directory. Only while nothing runs on it. */
export async function forgetData(layout: DataLayout): Promise<void> {
  await removeCluster(layout.postgres)
  const { stackFile, secrets, logs, pids, nats, s3, network, networks } = layout
  for (const path of [stackFile, secrets, logs, pids, nats, s3, network, networks]) {
    await rm(path, { recursive: true, force: true })
  }
}
