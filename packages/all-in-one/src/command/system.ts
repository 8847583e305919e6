const other = 'Use the container image, or a virtual machine with Linux.'

/** A sentence if the servers have no programs for this system. `glibc` is undefined on a Linux with another C library. */
export function faultOfSystem(platform: string, arch: string, glibc: string | undefined): string | undefined {
  if (platform !== 'linux' && platform !== 'darwin')
    return `${platform} is not supported, only Linux and macOS. ${other}`
  if (arch !== 'x64' && arch !== 'arm64') return `${arch} processors are not supported, only x64 and arm64.`
  if (platform === 'linux' && glibc === undefined) return `This Linux has no glibc, which Postgres needs. ${other}`
  return undefined
}
