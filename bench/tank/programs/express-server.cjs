// A small express application: a route with a parameter, a route with a JSON body.
const express = require(process.env.EXPRESS)

const app = express()
app.use(express.json())
app.get('/users/:id', (request, response) => response.json({ id: request.params.id, name: 'somebody' }))
app.post('/users', (request, response) => response.status(201).json({ received: request.body }))
app.listen(Number(process.env.PORT), () => console.log('listening'))
