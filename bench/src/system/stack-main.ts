import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import type { StackOptions } from '@tideport/dev-stack/stack/stack-options'
import { startStack } from '@tideport/dev-stack/stack/start-stack'

/** The stack in a process of its own, as `npm start` runs it, so that the bench's own work is not in its way. */
const { env, ...options } = JSON.parse(process.argv[2] ?? '') as StackOptions
const stack = await startStack({
  ...options,
  port: 0,
  quiet: true,
  env: { ...(hostEnvironment() as typeof env), ...env },
})
process.once('disconnect', async () => {
  await stack.stop()
  process.exit()
})
process.send?.(stack.describe())
