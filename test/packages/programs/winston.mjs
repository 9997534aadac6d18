import winston from 'winston'

const logger = winston.createLogger({
  level: 'info',
  format: winston.format.combine(winston.format.splat(), winston.format.json()),
  transports: [new winston.transports.Console()],
})
logger.info('hello %s', 'winston', { extra: 1 })
logger.error('failed')
logger.debug('not shown')
logger.on('finish', () => console.log('finished'))
logger.end()
