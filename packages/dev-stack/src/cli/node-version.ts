const [neededMajor, neededMinor] = [24, 12]

/** An error message that names the required Node version; undefined if `version` (as `24.12.0`) is sufficient. */
export function faultOfNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return undefined
  return (
    `Node ${neededMajor}.${neededMinor} or newer is required, but this is ${version}. ` +
    'On Linux, npm start and npx tideport download their own Node. On other systems, install the current LTS.'
  )
}
