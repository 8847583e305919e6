const NEEDED = 22

/** The sentence that says which Node is needed; null when `version`, as `22.4.0`, will do. */
export function faultOfNode(version: string): string | null {
  if (Number(version.split('.')[0]) >= NEEDED) return null
  return `Node ${NEEDED} or newer is required. This is Node ${version}`
}
