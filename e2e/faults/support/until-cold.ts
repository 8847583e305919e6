import { waitFor } from '@tideport/testing/wait-for'
import type { FileRecord } from '../../support/resources.ts'
import type { PatientClient } from './patient-client.ts'

// Longer than two claims that outlive their worker, one at sync and one at eviction.
const patience = { timeoutMs: 150_000, everyMs: 500 }

/** The records of these files of one vault once all are cold. Throws as soon as any file of the vault is in error. */
export async function untilAllCold(client: PatientClient, vaultId: string, fileIds: string[]): Promise<FileRecord[]> {
  let late: string[] = []
  async function look(): Promise<FileRecord[] | null> {
    const byId = new Map((await listFiles(client, vaultId)).map((file) => [file.id, file]))
    const failed = [...byId.values()].filter(({ status }) => status === 'error')
    if (failed.length > 0) return failed
    late = fileIds.filter((id) => byId.get(id)?.status !== 'cold').map((id) => `${id} ${byId.get(id)?.status}`)
    return late.length > 0 ? null : fileIds.map((id) => byId.get(id) as FileRecord)
  }
  const files = await waitFor(look, { what: 'all files to be cold', ...patience }).catch((cause) => {
    throw new Error(`Not cold: ${late.join(', ')}`, { cause })
  })
  const failed = files.find(({ status }) => status === 'error')
  if (failed) throw new Error(`File ${failed.id} is in error: ${failed.errorCode}`)
  return files
}

async function listFiles(client: PatientClient, vaultId: string): Promise<FileRecord[]> {
  const all: FileRecord[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/api/files?vaultId=${vaultId}&limit=100${cursor && `&cursor=${cursor}`}`
    const page = await client.ask<{ files: FileRecord[]; nextCursor: string | null }>(200, 'GET', path)
    all.push(...page.files)
    cursor = page.nextCursor
  }
  return all
}
