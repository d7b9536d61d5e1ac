package demo

// A merchant is a shop with what it sells. Prices are the least that a thing costs; they drift a little over the year.
type merchant struct {
	name, currency string
	slashed        bool // numbers its orders 2026/0042, not 2026-0042
	goods          []orderItem
}

func merchants() []merchant {
	return []merchant{
		{"Harvest Lane Groceries", "GBP", false, []orderItem{
			{"Vegetable box, medium", 1, 1650}, {"Sourdough loaf", 1, 390}, {"Oats, 1 kg", 1, 210}, {"Coffee beans, 500 g", 1, 1190},
			{"Red lentils, 2 kg", 1, 480}, {"Olive oil, 1 litre", 1, 980}, {"Strong white flour, 5 kg", 1, 620},
		}},
		{"Pagebound Books", "GBP", true, []orderItem{
			{"The Lighthouse Almanac, paperback", 1, 1099}, {"Japanese for Patient People, volume 2", 1, 2150}, {"A Child's Book of Tides", 1, 899},
			{"Arabic handwriting workbook", 1, 1280}, {"Atlas of small harbours", 1, 3400}, {"Birthday card with a whale", 1, 295},
		}},
		{"Boltwood Tools", "GBP", false, []orderItem{
			{"Torque wrench", 1, 4690}, {"Cable ties, pack of 200", 1, 640}, {"Head torch", 1, 2290}, {"Silicone sealant", 1, 720}, {"Stepladder, five steps", 1, 5900},
		}},
		{"Circuit Shed", "EUR", true, []orderItem{
			{"Router wall bracket", 1, 1150}, {"Network cable, 10 metres", 1, 890}, {"USB charger, two ports", 1, 1890}, {"Soldering iron tip set", 1, 1420},
			{"Wireless router, second hand", 1, 3900},
		}},
		{"Little Otter", "GBP", false, []orderItem{
			{"Children's raincoat, age 8", 1, 3200}, {"Wellington boots, yellow", 1, 2100}, {"Birthday candles, pack of 24", 1, 350},
			{"School jumper, green", 1, 1450}, {"Swimming goggles", 1, 990}, {"Birthday bunting", 1, 680},
		}},
		{"Biscuit and Bone", "GBP", false, []orderItem{
			{"Dog food, salmon, 6 kg", 1, 3450}, {"Dog towel", 1, 1290}, {"Chew rope", 1, 640}, {"Reflective lead", 1, 1580},
		}},
		{"Towpath Running", "GBP", false, []orderItem{
			{"Running shoes, size 6", 1, 9800}, {"Wool socks, three pairs", 1, 2400}, {"Water bottle, 600 ml", 1, 1250}, {"Running gloves", 1, 1690},
		}},
		{"Avon Pharmacy", "GBP", false, []orderItem{
			{"Plasters, mixed", 1, 320}, {"Sun cream, factor 50", 1, 1150}, {"Cough sweets", 1, 240}, {"Electric toothbrush heads, four", 1, 1790},
		}},
		{"Ribeira Pantry", "EUR", true, []orderItem{
			{"Tinned sardines, six tins from Lisbon", 1, 1890}, {"Quince paste", 1, 690}, {"Hand-painted tile, blue fish", 1, 2400}, {"Piri-piri sauce", 1, 550},
		}},
		{"Greenhouse Row", "GBP", false, []orderItem{
			{"Tomato seedlings, six", 1, 890}, {"Terracotta pot, 30 cm", 1, 1490}, {"Peat-free compost, 40 litres", 1, 780}, {"Sweet pea seeds", 1, 270},
		}},
		{"Thread and Needle", "GBP", false, []orderItem{
			{"Linen curtain, off-white", 1, 5400}, {"Wool blanket", 1, 7200}, {"Sewing kit", 1, 1190}, {"Tea towels, set of three", 1, 1650},
		}},
	}
}
