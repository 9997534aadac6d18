import cron from 'node-cron'

let ticks = 0
const task = cron.schedule('* * * * * *', () => {
  console.log('tick', ++ticks)
  if (ticks === 2) {
    task.stop()
    task.destroy()
  }
})
console.log(cron.validate('* * * * *'), cron.validate('nonsense'))
