export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGPgjjkAAAGdASihgu4aAAAAAElFTkSuQmCC',
  'base64',
)

/** A quiet hum of `seconds` seconds, as a WAV file of 88 kB per second. */
export function sound(seconds: number): Buffer {
  const rate = 44_100
  const samples = Buffer.alloc(rate * seconds * 2)
  for (let at = 0; at < rate * seconds; at++) samples.writeInt16LE(Math.round(300 * Math.sin(at / 20)), at * 2)
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}
