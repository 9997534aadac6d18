import Bottleneck from 'bottleneck'

const limiter = new Bottleneck({
  maxConcurrent: 1,
  minTime: 50,
  reservoir: 3,
  reservoirRefreshAmount: 3,
  reservoirRefreshInterval: 250,
})
const started = Date.now()
const order = []
const waited = await Promise.all(
  Array.from({ length: 5 }, (_, i) =>
    limiter.schedule(async () => {
      order.push(i)
      return Date.now() - started
    }),
  ),
)
// How long it takes at most is up to the machine.
console.log(order, waited[2] >= 95, waited[3] >= 245)
await limiter.disconnect()
process.exit(0)
