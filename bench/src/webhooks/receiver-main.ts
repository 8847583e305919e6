import { createServer } from 'node:http'

/** Responds to every delivery immediately, and reports changes of the number of deliveries to its parent. */
const [port] = process.argv.slice(2)
const TELL_MS = 20
let [received, told] = [0, 0]
setInterval(() => {
  if (told !== received) process.send?.(received)
  told = received
}, TELL_MS)
process.once('disconnect', () => process.exit())
createServer((request, response) => {
  request.resume().once('end', () => {
    received += 1
    response.writeHead(200).end()
  })
}).listen(Number(port), '127.0.0.1', () => process.send?.(0))
