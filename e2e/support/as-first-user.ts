import { releaseFileLock, takeFileLock } from '@tideport/dev-stack/processes/file-lock'
import { sharedStack } from './shared-stack.ts'

/** Locks the first user, as which requests without credentials act, for one test until disposal. */
export async function asFirstUser(): Promise<AsyncDisposable> {
  const lock = `${sharedStack().networkDir}.first-user`
  await takeFileLock(lock)
  return { [Symbol.asyncDispose]: () => releaseFileLock(lock) }
}
