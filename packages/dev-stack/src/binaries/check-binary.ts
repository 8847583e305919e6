import type { Environment } from '../processes/host-environment.ts'
import { runCommand } from '../processes/run-command.ts'
import type { ServerTool } from './server-tool.ts'

/** Undefined when the program at `path` runs and is new enough, else why not, as the end of a sentence. */
export async function faultOf(tool: ServerTool, path: string, env: Environment): Promise<string | undefined> {
  const output = await runCommand(path, ['--version'], { env, timeoutMs: 10_000 }).catch((error: Error) => error)
  if (output instanceof Error) return `does not run (${output.message})`
  if (tool.minimumVersion === undefined) return undefined
  const found = /v?(\d+)\.(\d+)\.\d+/.exec(output)
  const [major, minor] = tool.minimumVersion
  if (found === null) return 'does not tell its version'
  const isNewEnough = Number(found[1]) > major || (Number(found[1]) === major && Number(found[2]) >= minor)
  return isNewEnough ? undefined : `is version ${found[0]}, and ${major}.${minor} or newer is needed`
}
