import { releaseFileLock, takeFileLock } from '@tideport/dev-stack/processes/file-lock'
import { sharedStack } from './shared-stack.ts'

/** One test at a time acts as the first user, as calls without credentials do, until disposed of. */
export async function asFirstUser(): Promise<AsyncDisposable> {
  const lock = `${sharedStack().networkDir}.first-user`
  await takeFileLock(lock)
  return { [Symbol.asyncDispose]: () => releaseFileLock(lock) }
}
