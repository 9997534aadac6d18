import Bottleneck from 'bottleneck'

const limiter = new Bottleneck({
  maxConcurrent: 1,
  minTime: 50,
  reservoir: 3,
  reservoirRefreshAmount: 3,
  reservoirRefreshInterval: 250,
})
const started = Date.now()
const times = await Promise.all(
  Array.from({ length: 5 }, (_, i) =>
    limiter.schedule(async () => [i, Math.floor((Date.now() - started) / 250)]),
  ),
)
console.log(times)
await limiter.disconnect()
process.exit(0)
