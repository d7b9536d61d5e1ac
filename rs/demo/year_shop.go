package demo

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// An order is what was bought from one merchant at one time. Money is counted in the smallest coin, so that sums are exact.
type order struct {
	id, merchant     string
	when             time.Time
	currency, status string
	items            []orderItem
	planted          bool // a fact depends on it
}

type orderItem struct {
	name     string
	quantity int
	pence    int // for one
}

func (o order) totalPence() int {
	total := 0
	for _, item := range o.items {
		total += item.quantity * item.pence
	}
	return total
}

type orderRecord struct {
	ID        string  `json:"id"`
	Merchant  string  `json:"merchant"`
	OrderedAt string  `json:"ordered_at"`
	Total     float64 `json:"total"`
	Currency  string  `json:"currency"`
	Status    string  `json:"status"`
	ItemCount int     `json:"item_count"`
}

type orderItemRecord struct {
	ID        string  `json:"id"`
	OrderID   string  `json:"order_id"`
	Name      string  `json:"name"`
	Quantity  int     `json:"quantity"`
	UnitPrice float64 `json:"unit_price"`
}

func (b *yearBuilder) addShop() {
	for _, bought := range yearOrders() {
		count := 0
		for _, item := range bought.items {
			count += item.quantity
		}
		b.add(shopAccount, "orders", bought.id, bought.when, orderRecord{
			bought.id, bought.merchant, stamp(bought.when), float64(bought.totalPence()) / 100, bought.currency, bought.status, count,
		})
		for index, item := range bought.items {
			id := fmt.Sprintf("%s-%d", bought.id, index+1)
			b.add(shopAccount, "order_items", id, bought.when, orderItemRecord{id, bought.id, item.name, item.quantity, float64(item.pence) / 100})
		}
	}
}

// yearOrders are the orders of the year, oldest first. The mailbox asks for them as well, to write the receipts.
func yearOrders() []order {
	random := source(3)
	planted := plantedOrders()
	var orders []order
	for index, when := range sortedTimes(random, 140, wakingTime) {
		for len(planted) > 0 && planted[0].when.Before(when) {
			orders, planted = append(orders, planted[0]), planted[1:]
		}
		orders = append(orders, randomOrder(random, index, when))
	}
	return append(orders, planted...)
}

func randomOrder(random *rand.Rand, index int, when time.Time) order {
	shop := pick(random, merchants())
	bought := order{
		id: fmt.Sprintf("%d-%04d", when.Year(), index+101), merchant: shop.name, when: when, currency: shop.currency, status: "delivered",
	}
	if shop.slashed {
		bought.id = fmt.Sprintf("%d/%04d", when.Year(), index+101)
	}
	switch chance := random.IntN(20); {
	case when.After(yearEnd().AddDate(0, 0, -6)):
		bought.status = "shipped"
	case chance == 0:
		bought.status = "returned"
	case chance == 1:
		bought.status = "cancelled"
	}
	for _, item := range sample(random, shop.goods, 1+random.IntN(3)) {
		quantity := 1
		if item.pence < 1000 {
			quantity += random.IntN(3)
		}
		bought.items = append(bought.items, orderItem{item.name, quantity, item.pence + 5*random.IntN(20)})
	}
	return bought
}

// plantedOrders are the orders that facts are about, oldest first.
func plantedOrders() []order {
	return []order{
		{
			id: "2026/0042", merchant: "Gannet Air", when: clock(2026, time.January, 18, 20, 37), currency: "GBP", status: "delivered", planted: true,
			items: []orderItem{{"Return flight Bristol to Lisbon, one adult", 2, 14900}, {"Return flight Bristol to Lisbon, one child", 1, 11460}},
		},
		{
			id: "2026-S118", merchant: "Anchor Hall Box Office", when: clock(2026, time.April, 11, 12, 2), currency: "GBP", status: "delivered", planted: true,
			items: []orderItem{{"Concert tickets, The Paper Lanterns, row F, seats 12 and 13", 2, 3450}},
		},
		{
			id: "2026/S207", merchant: "Quayside Cycles", when: clock(2026, time.June, 24, 9, 47), currency: "GBP", status: "delivered", planted: true,
			items: []orderItem{{"Child's bicycle, 20 inch, green", 1, 21900}, {"Bicycle bell, brass", 1, 1250}},
		},
	}
}

// price writes an amount of less than a million as people do.
func price(pence int, currency string) string {
	sign := "£"
	if currency == "EUR" {
		sign = "€"
	}
	whole := strconv.Itoa(pence / 100)
	if thousands := len(whole) - 3; thousands > 0 {
		whole = whole[:thousands] + "," + whole[thousands:]
	}
	return sign + whole + "." + fmt.Sprintf("%02d", pence%100)
}
