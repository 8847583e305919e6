import { armFailpoints } from '@tideport/service-kit/process/failpoint'
import { createFailpoints } from '@tideport/testing/failpoints'

/** Blocks all calls of this process at a failpoint until they are released. */
export async function holdAt(name: string) {
  const failpoints = await createFailpoints()
  armFailpoints(failpoints.directory)
  await failpoints.pause(name)
  return { release: () => failpoints.release(name), [Symbol.asyncDispose]: () => failpoints.dispose() }
}
