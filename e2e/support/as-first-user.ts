import { releaseFileLock, takeFileLock } from '@tideport/dev-stack/processes/file-lock'
import { sharedStack } from './shared-stack.ts'

/**
 * For what acts as the shared system's first user, as all do who send no credentials, and takes all that it sees for its
 * own, until disposed of: one at a time. The walk of the README revokes the newest key there is, which may be the demo's.
 */
export async function asFirstUser(): Promise<AsyncDisposable> {
  const lock = `${sharedStack().networkDir}.first-user`
  await takeFileLock(lock)
  return { [Symbol.asyncDispose]: () => releaseFileLock(lock) }
}
