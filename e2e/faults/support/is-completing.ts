import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestStack } from './processes.ts'

/** versitygw moves an upload aside while it completes it. */
export async function isCompleting({ dataDir }: TestStack): Promise<boolean> {
  const aside = glob('objects/*/.sgwtmp/multipart/*/*.inprogress', { cwd: join(dataDir, 's3') })
  return (await aside.next()).done === false
}
