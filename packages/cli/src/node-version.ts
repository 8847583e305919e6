const NEEDED = 22

/** An error message for an unsupported Node version such as `20.4.0`; otherwise null. */
export function faultOfNode(version: string): string | null {
  if (Number(version.split('.')[0]) >= NEEDED) return null
  return `Node ${NEEDED} or newer is required. This is Node ${version}`
}
